//! The notebooks, executed on a small run and a small study that are made here.
//!
//! The first run installs `scripts/notebooks.txt` below `target/`.

use crate::support::python::packages;
use crate::support::{root, run, succeeds};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Executes notebooks with a kernel of their own each, and says what came out of each cell that has code.
const EXECUTE: &str = "
import json, sys
import nbformat
from nbclient import NotebookClient
told = {}
for path in sys.argv[1:]:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=120, kernel_name='python3').execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == 'code']
    told[path] = [
        {
            'executed': cell.execution_count is not None,
            'images': sum('image/png' in output.get('data', {}) for output in cell.outputs),
            'text': ''.join(output.get('text', '') + output.get('data', {}).get('text/plain', '') for output in cell.outputs),
            'complaints': ''.join(output.text for output in cell.outputs if output.get('name') == 'stderr'),
        }
        for cell in cells
    ]
print(json.dumps(told))
";

fn notebooks() -> BTreeMap<String, PathBuf> {
    let entries = std::fs::read_dir(root().join("notebooks")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let notebooks = paths.filter(|path| path.extension().is_some_and(|end| end == "ipynb"));
    let name = |path: &Path| {
        path.file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    notebooks.map(|path| (name(&path), path)).collect()
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

/// Makes a run with its report, and a study, in a folder of data.
fn make_data(data: &Path) -> [PathBuf; 2] {
    let mut arguments = vec!["train", "configs/smoke.toml", "--run", "small"];
    let changes = [
        "precision=\"f32\"",
        "loop.games=32",
        "runner.workers=1",
        "selfplay.full_search_fraction=0.5",
        "selfplay.uneven=[{ side = 'stronger', share = 0.5 }]",
        "replay.held_out_fraction=0.3",
        "arena.openings=2",
    ];
    changes
        .iter()
        .for_each(|change| arguments.extend(["--set", change]));
    succeeds(&run(data, &arguments));
    let small = data.join("runs/small");
    succeeds(&run(data, &["report", small.to_str().expect("text")]));
    let study = data.join("study");
    let folder = study.to_str().expect("text");
    succeeds(&run(
        data,
        &["balance", "configs/balance/smoke.toml", "--folder", folder],
    ));
    [small, study]
}

fn names_below(folder: &Path, names: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            names_below(&path, names);
        }
        names.insert(path);
    }
}

/// Python for a script that executes notebooks, whose kernels write into a folder of their own.
fn kernels(script: &str, scratch: &Path) -> Command {
    let mut python = Command::new("python3");
    python
        .args(["-c", script])
        .current_dir(root().join("notebooks"))
        .env("PYTHONPATH", packages("notebooks"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("JUPYTER_PLATFORM_DIRS", "1")
        .env("IPYTHONDIR", scratch.join("ipython"))
        .env("MPLCONFIGDIR", scratch.join("matplotlib"));
    python
}

#[test]
fn notebooks_run_from_top_to_bottom_on_a_run_and_a_study() {
    let data = tempfile::tempdir().expect("a folder");
    let [small, study] = make_data(data.path());
    let mut before = BTreeSet::new();
    names_below(data.path(), &mut before);
    // The one about Python is tried by itself.
    let plain = notebooks()
        .into_iter()
        .filter(|(name, _)| !name.starts_with("06"));
    let output = kernels(EXECUTE, data.path())
        .args(plain.map(|(_, path)| path))
        .env("TAFL_RUN", &small)
        .env("TAFL_STUDY", &study)
        .output()
        .expect("python3 is there");
    let told: BTreeMap<PathBuf, Vec<Value>> =
        serde_json::from_str(&succeeds(&output)).expect("JSON");
    let images = |name: &str| -> u64 {
        let cells = &told[&notebooks()[name]];
        assert!(cells.iter().all(|cell| cell["executed"] == true), "{name}");
        for cell in cells {
            assert_eq!(cell["complaints"], "", "{name}");
        }
        cells
            .iter()
            .filter_map(|cell| cell["images"].as_u64())
            .sum()
    };
    let drawn = [
        "01-training-curves",
        "02-elo-ladder",
        "03-ruleset-balance",
        "04-samples",
        "05-fair-rulesets",
        "07-people",
    ]
    .map(images);
    assert_eq!(drawn, [4, 2, 3, 2, 1, 2]);
    let texts = |name: &str| -> String {
        let cells = told[&notebooks()[name]].iter();
        cells.filter_map(|cell| cell["text"].as_str()).collect()
    };
    let curves = texts("01-training-curves");
    let has_both = ["┆ true", "┆ false"].map(|kind| curves.contains(kind));
    assert_eq!(
        has_both, [true; 2],
        "handicapped games and even ones: {curves}"
    );
    assert!(texts("02-elo-ladder").contains("checkpoint 2"));
    assert!(texts("04-samples").contains("positions in 2 files"));
    assert!(!texts("03-ruleset-balance").contains("no study"));
    assert!(texts("05-fair-rulesets").contains("Markdown"));
    let mut after = BTreeSet::new();
    names_below(data.path(), &mut after);
    let made: Vec<&PathBuf> = after
        .difference(&before)
        .filter(|path| path.starts_with(&small) || path.starts_with(&study))
        .collect();
    assert_eq!(made, Vec::<&PathBuf>::new(), "notebooks only read");
    check_matches_are_those_rated(&small, data.path());
}

/// Where a match is no longer there that was rated, the notebook says what to do.
fn check_matches_are_those_rated(small: &Path, scratch: &Path) {
    let mut files = std::fs::read_dir(small.join("arena")).expect("a folder");
    let file = files.next().expect("a match").expect("an entry");
    std::fs::remove_file(file.path()).expect("removed");
    let output = kernels(EXECUTE, scratch)
        .arg(&notebooks()["02-elo-ladder"])
        .env("TAFL_RUN", small)
        .output()
        .expect("python3 is there");
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = format!("run `./scripts/tafl report {}` again", small.display());
    assert!(said.contains(&expected), "{said}");
}

/// Executed by `TAFL_PYTORCH`, a Python that has the package, torch, sb3-contrib, matplotlib, nbclient and ipykernel.
#[test]
fn the_notebook_about_python_learns_a_little() {
    let Ok(python) = std::env::var("TAFL_PYTORCH") else {
        return;
    };
    let data = tempfile::tempdir().expect("a folder");
    let [small, _] = make_data(data.path());
    let output = Command::new(python)
        .args(["-c", EXECUTE])
        .arg(&notebooks()["06-python"])
        .current_dir(root().join("notebooks"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("JUPYTER_PLATFORM_DIRS", "1")
        .env("IPYTHONDIR", data.path().join("ipython"))
        .env("MPLCONFIGDIR", data.path().join("matplotlib"))
        .env("TAFL_RUN", &small)
        .env("TAFL", env!("CARGO_BIN_EXE_tafl"))
        .env("TAFL_STEPS", "8192")
        .output()
        .expect("a Python");
    let told: BTreeMap<PathBuf, Vec<Value>> =
        serde_json::from_str(&succeeds(&output)).expect("JSON");
    let cells = &told[&notebooks()["06-python"]];
    let texts: String = cells
        .iter()
        .filter_map(|cell| cell["text"].as_str())
        .collect();
    for said in ["plies, ", "seed 2: half of 300 games won after", "Elo"] {
        assert!(texts.contains(said), "{texts}");
    }
    assert!(cells.iter().all(|cell| cell["executed"] == true));
}

/// Executes the first cell that has code.
const FIRST_CELL: &str = "
import json, sys
cells = json.load(open(sys.argv[1]))['cells']
exec(''.join(next(cell for cell in cells if cell['cell_type'] == 'code')['source']))
";

#[test]
fn notebooks_say_what_is_missing() {
    let nothing = tempfile::tempdir().expect("a folder");
    // These read a study that is in the repository.
    let needy = notebooks()
        .into_iter()
        .filter(|(name, _)| !name.starts_with("05") && !name.starts_with("07"));
    for (name, path) in needy {
        let output = Command::new("python3")
            .args(["-c", FIRST_CELL])
            .arg(&path)
            .env("PYTHONPATH", packages("notebooks"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("MPLCONFIGDIR", nothing.path())
            .env("TAFL_RUN", nothing.path().join("run"))
            .output()
            .expect("python3 is there");
        // The one about balance goes on with the study.
        let goes_on = name.starts_with("03");
        let said = [&*output.stdout, &output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert_eq!(output.status.success(), goes_on, "{name}: {said}");
        assert!(!said.contains("Traceback"), "{name}: {said}");
        assert!(
            said.contains("/run ") && said.contains("`./scripts/tafl "),
            "{name}: {said}"
        );
    }
}

/// Executes the paper, and says what its cells show and what is stored: texts as they are, but of pictures only that there is
/// one, as each machine draws other bytes. With UPDATE=1 stores what they show.
const PAPER: &str = "
import copy, json, os, sys
import nbformat
from nbclient import NotebookClient

def shown(output):
    if output['output_type'] == 'stream':
        return {'output_type': 'stream', 'name': output['name'], 'text': output['text']}
    data = {kind: text for kind, text in output['data'].items() if kind in ('text/markdown', 'image/png')}
    return {'output_type': 'display_data', 'metadata': {}, 'data': data}

def told(cells):
    outputs = [[shown(output) for output in cell['outputs']] for cell in cells if cell['cell_type'] == 'code']
    return [[output.get('text') or output['data'].get('text/markdown', 'a picture') for output in cell] for cell in outputs]

[path] = sys.argv[1:]
notebook = nbformat.read(path, as_version=4)
stored = told(notebook['cells'])
metadata = copy.deepcopy(notebook['metadata'])
NotebookClient(notebook, timeout=120, kernel_name='python3').execute()
for cell in notebook['cells']:
    cell['metadata'] = {}
    if cell['cell_type'] == 'code':
        cell['outputs'] = [nbformat.from_dict(shown(output)) for output in cell['outputs']]
        cell['execution_count'] = None
if 'UPDATE' in os.environ:
    notebook['metadata'] = metadata
    nbformat.write(notebook, path)
    stored = told(nbformat.read(path, as_version=4)['cells'])
print(json.dumps([stored, told(notebook['cells'])]))
";

#[test]
fn the_paper_is_stored_with_what_its_code_shows() {
    let scratch = tempfile::tempdir().expect("a folder");
    let output = kernels(PAPER, scratch.path())
        .arg(&notebooks()["05-fair-rulesets"])
        .env_remove("TAFL_STUDY")
        .output()
        .expect("python3 is there");
    let [stored, shown]: [Vec<Vec<String>>; 2] =
        serde_json::from_str(&succeeds(&output)).expect("JSON");
    let count = |text: &str| {
        shown
            .iter()
            .flatten()
            .filter(|it| it.starts_with(text))
            .count()
    };
    assert_eq!([count("| "), count("a picture")], [9, 1], "{shown:?}");
    assert_eq!(stored, shown, "UPDATE=1 stores it again");
}

#[test]
fn notebooks_but_the_paper_are_stored_without_outputs() {
    let notebooks = notebooks();
    assert!(notebooks.len() >= 4, "{notebooks:?}");
    for (name, path) in notebooks {
        let notebook = read(&path);
        assert_eq!(notebook["nbformat"], 4, "{name}");
        let cells = notebook["cells"].as_array().expect("cells");
        assert_eq!(
            cells[0]["cell_type"], "markdown",
            "{name} begins with its question"
        );
        for cell in cells {
            assert_eq!(cell["metadata"], serde_json::json!({}), "{name}");
            if cell["cell_type"] == "code" {
                if !name.starts_with("05") {
                    assert_eq!(cell["outputs"], serde_json::json!([]), "{name}");
                }
                assert!(cell["execution_count"].is_null(), "{name}");
            }
        }
    }
}

#[test]
fn the_catalog_names_every_notebook() {
    let catalog = std::fs::read_to_string(root().join("notebooks/README.md")).expect("readable");
    for name in notebooks().keys() {
        assert!(catalog.contains(&format!("({name}.ipynb)")), "{name}");
    }
}

/// Runs the lines of data/README.md that read games, in the folder of a run; prints how many rows each gives.
const LINES: &str = "
import re, sys
blocks = re.findall('```python(.*?)```', open(sys.argv[1]).read(), re.S)
first, *lines = [line for block in blocks if 'games' in block for line in block.split('\\n') if line]
exec(first)
print([len(eval(line)) for line in lines])
";

#[test]
fn the_lines_of_the_readme_read_a_run() {
    let data = tempfile::tempdir().expect("a folder");
    succeeds(&run(data.path(), &["train", "configs/smoke.toml"]));
    let output = Command::new("python3")
        .args(["-c", LINES])
        .arg(root().join("data/README.md"))
        .current_dir(data.path().join("runs/smoke"))
        .env("PYTHONPATH", packages("notebooks"))
        .output()
        .expect("python3 is there");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let rows: Vec<usize> = serde_json::from_slice(&output.stdout).expect("numbers");
    assert_eq!(rows.len(), 6);
    // The same line for polars, DuckDB and pandas.
    for same in rows.chunks(3) {
        assert!(
            same[0] > 0 && same.iter().all(|it| *it == same[0]),
            "{rows:?}"
        );
    }
}
