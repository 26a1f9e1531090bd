//! Boards as the program draws them.
//!
//! `UPDATE=1 cargo test --release` draws the pictures of `configs/rulesets/` anew.

use crate::support::{root, run, succeeds, tafl};
use std::path::Path;
use tafl_rules::known_names;

fn prints(arguments: &[&str]) -> String {
    succeeds(&run(Path::new("data"), arguments))
}

#[test]
fn the_picture_of_each_ruleset_is_what_the_program_draws() {
    let catalog = std::fs::read_to_string(root().join("configs/README.md")).expect("readable");
    for name in known_names() {
        let svg = prints(&["rules", "show", name, "--svg"]);
        let file = format!("rulesets/{name}.svg");
        let path = root().join("configs").join(&file);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &svg).expect("written");
        }
        let picture = std::fs::read_to_string(&path).expect("the picture exists");
        assert_eq!(svg, picture, "{file}; UPDATE=1 accepts the change");
        assert!(
            catalog.contains(&file),
            "{file} is not in configs/README.md"
        );
    }
}

#[test]
fn an_svg_is_written_whole_and_replaces_an_svg_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("board.svg");
    let file = path.display().to_string();
    let show = ["rules", "show", "brandubh", "--svg", &file];
    let manifest = "{\n  \"format\": 4";
    std::fs::write(&path, manifest).expect("written");
    let refused = run(Path::new("data"), &show);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains(&format!("{file}: a file of another kind is there")),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(&path).expect("readable"), manifest);

    let other = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
    std::fs::write(&path, other).expect("written");
    let said = prints(&show);
    assert!(said.is_empty(), "{said}");
    let written = std::fs::read_to_string(&path).expect("readable");
    assert_eq!(
        written,
        prints(&["rules", "show", "brandubh", "--svg", "-"])
    );
    let files = std::fs::read_dir(folder.path()).expect("a folder");
    assert_eq!(files.count(), 1, "nothing is left beside it");
}

#[test]
fn any_position_of_a_ruleset_can_be_drawn() {
    let position = ["--position", "7/7/3T3/1t5/7/3K3/7", "--side", "defenders"];
    let show = |more: &[&str]| {
        let arguments = [&["rules", "show", "brandubh"], &position[..], more].concat();
        prints(&arguments)
    };
    let svg = show(&["--svg"]);
    assert!(
        svg.contains("<title>brandubh, defenders to move</title>"),
        "{svg}"
    );
    assert_eq!(svg.matches("<use ").count(), 3);
    let text = show(&[]);
    assert!(text.contains("  4  .  t  .  +  .  .  . \n"), "{text}");

    let no_king = [
        "rules",
        "show",
        "brandubh",
        "--svg",
        "--position",
        "7/7/7/7/7/7/7",
    ];
    let output = run(Path::new("data"), &no_king);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        stderr,
        "error: --position: 0 kings on the board instead of one\n"
    );
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn a_pipe_gets_letters_whatever_the_locale() {
    let mut show = tafl(Path::new("data"), &["rules", "show", "berserk-2017"]);
    show.env("LC_ALL", "C.UTF-8").env("TERM", "xterm-256color");
    let text = succeeds(&show.output().expect("tafl starts"));
    assert!(
        text.contains("  6  t  c  .  T  T  K  T  T  .  c  t \n"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}') && !text.contains('│'), "{text}");
}
