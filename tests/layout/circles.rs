//! Circles of imports among the files of a crate.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The names of modules from the crate's root to an item.
type Names = Vec<String>;

/// What the files of a crate take from each other; a file goes by its module.
#[derive(Default)]
struct Imports {
    modules: BTreeSet<Names>,
    /// What a module has from elsewhere under a name, for others to use.
    passed_on: BTreeMap<(Names, String), Names>,
    used: BTreeMap<Names, Vec<Names>>,
}

/// Returns the circles of more than two files among the sources of a crate, which come with their paths below `src`.
///
/// A file uses the file in which an item stands, whatever way its name takes there.
pub(crate) fn circles(sources: &[(String, String)]) -> BTreeSet<String> {
    let mut imports = Imports::default();
    for (path, _) in sources {
        imports.modules.insert(module(path));
    }
    for (path, text) in sources {
        imports.read(&module(path), text);
    }
    let graph = imports.graph();
    let edges = graph
        .iter()
        .flat_map(|(from, all)| all.iter().map(move |to| [from, to]));
    edges.filter_map(|edge| circle(&graph, edge)).collect()
}

fn module(path: &str) -> Names {
    match path.strip_suffix(".rs").unwrap_or(path) {
        "lib" | "main" => Names::new(),
        path => path.split('/').map(str::to_owned).collect(),
    }
}

impl Imports {
    fn read(&mut self, module: &Names, text: &str) {
        let code = text.split("#[cfg(test)]\nmod tests {").next();
        let lines = code.unwrap_or_default().lines();
        let mut lines = lines.map(|line| line.split("//").next().unwrap_or_default());
        let mut used = Vec::new();
        while let Some(line) = lines.next() {
            let Some((before, tree)) = line.trim().split_once("use ") else {
                used.extend(inline_paths(line));
                continue;
            };
            if !before.is_empty() && !before.starts_with("pub") {
                used.extend(inline_paths(line));
                continue;
            }
            let mut tree = tree.to_owned();
            while !tree.contains(';') {
                tree += lines.next().expect("a statement has an end").trim();
            }
            let mut names = Vec::new();
            expand(tree.trim_end_matches(';'), &Names::new(), &mut names);
            if before.is_empty() {
                used.extend(names);
                continue;
            }
            for names in names {
                let (Some(name), Some(full)) =
                    (names.last().cloned(), self.absolute(module, &names))
                else {
                    continue;
                };
                self.passed_on.insert((module.clone(), name), full);
            }
        }
        let used = used.iter().filter_map(|it| self.absolute(module, it));
        let used = used.collect();
        self.used.insert(module.clone(), used);
    }

    /// Returns names from the root of the crate on; `None` if they are of another crate.
    fn absolute(&self, module: &Names, names: &[String]) -> Option<Names> {
        let child = [&module[..], &names[..1]].concat();
        match &*names[0] {
            "crate" => Some(names[1..].to_vec()),
            "self" => Some([module, &names[1..]].concat()),
            "super" => {
                let up = names.iter().take_while(|name| *name == "super").count();
                let parent = &module[..module.len().checked_sub(up)?];
                Some([parent, &names[up..]].concat())
            }
            _ => self
                .modules
                .contains(&child)
                .then(|| [module, names].concat()),
        }
    }

    /// Returns the module of the file in which an item stands.
    fn home(&self, names: &[String], depth: usize) -> Names {
        let mut module = Names::new();
        for (index, name) in names.iter().enumerate().filter(|(_, name)| *name != "self") {
            let inner = [&module[..], std::slice::from_ref(name)].concat();
            if self.modules.contains(&inner) {
                module = inner;
                continue;
            }
            return match self.passed_on.get(&(module.clone(), name.clone())) {
                Some(from) if depth < 10 => {
                    self.home(&[from, &names[index + 1..]].concat(), depth + 1)
                }
                _ => module,
            };
        }
        module
    }

    fn graph(&self) -> BTreeMap<Names, BTreeSet<Names>> {
        let homes = |(module, used): (&Names, &Vec<Names>)| {
            let homes = used.iter().map(|names| self.home(names, 0));
            // The root only names what is there.
            let others = homes.filter(|home| home != module && !home.is_empty());
            (module.clone(), others.collect())
        };
        self.used.iter().map(homes).collect()
    }
}

/// Adds each path of what stands behind `use`.
fn expand(tree: &str, prefix: &Names, found: &mut Vec<Names>) {
    let names = |text: &str| -> Names {
        let names = text.split("::").map(str::trim);
        names
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (mut depth, mut start) = (0, 0);
    let ends = tree.char_indices().chain([(tree.len(), ',')]);
    for (index, letter) in ends {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = tree[start..index].trim();
                start = index + 1;
                if let Some((head, inner)) = part.split_once('{') {
                    let inner = inner.strip_suffix('}').unwrap_or(inner);
                    expand(inner, &[&prefix[..], &names(head)].concat(), found);
                } else if !part.is_empty() {
                    let name = part.split(" as ").next().unwrap_or(part);
                    found.push([&prefix[..], &names(name)].concat());
                }
            }
            _ => {}
        }
    }
}

/// Returns the paths in an expression that begin with `crate` or `super`.
fn inline_paths(line: &str) -> Vec<Names> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let words = line.split(|letter| !is_name(letter));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    paths
        .map(|path| path.split("::").map(str::to_owned).collect())
        .collect()
}

/// Returns the shortest way back along which an import leads to where it is from, if others are on it.
fn circle(graph: &BTreeMap<Names, BTreeSet<Names>>, [from, to]: [&Names; 2]) -> Option<String> {
    let mut before: BTreeMap<&Names, &Names> = BTreeMap::new();
    let mut queue = VecDeque::from([to]);
    while let Some(file) = queue.pop_front() {
        for next in &graph[file] {
            let is_direct = file == to && next == from;
            if next != to && !is_direct && !before.contains_key(next) {
                before.insert(next, file);
                queue.push_back(next);
            }
        }
    }
    let mut way = vec![from];
    while way.last() != Some(&to) {
        way.push(before.get(way[way.len() - 1])?);
    }
    way.reverse();
    // Written from the same file on wherever it was found.
    let first = (0..way.len()).min_by_key(|&index| way[index])?;
    way.rotate_left(first);
    let names: Vec<String> = way.iter().map(|names| names.join("/")).collect();
    Some(names.join(" -> "))
}
