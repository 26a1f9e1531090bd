// Links to a position, and files.

/// The address of a tree's current position: the ruleset, the first position, the moves.
function linkTo(tree) {
  const game = gameTo(tree, tree.current);
  const parts = new URLSearchParams();
  if (tree.ruleset.preset) parts.set("ruleset", tree.ruleset.form.name); else parts.set("rules", JSON.stringify(tree.ruleset.form));
  if (tree.start) parts.set("position", tree.start);
  if (game.moves.length > 0) parts.set("moves", game.moves.join("."));
  return `${location.href.split("#")[0]}#${parts}`;
}

/// Reads the part of an address behind `#`; null where there is none.
async function readLink(app, hash, damaged = WORDS.errors.link) {
  const text = hash.replace(/^#/, "");
  if (text === "") return null;
  const parts = new URLSearchParams(text);
  const known = ["ruleset", "rules", "position", "moves"];
  const given = [...parts.keys()];
  if (given.some((key) => !known.includes(key)) || !(parts.has("ruleset") || parts.has("rules"))) throw new Error(damaged(WORDS.errors.linkParts));
  try {
    const wanted = parts.has("ruleset") ? parts.get("ruleset") : JSON.parse(parts.get("rules"));
    const ruleset = app.named(await app.engine.ask("ruleset", { ruleset: wanted }));
    const start = parts.get("position");
    const moves = (parts.get("moves") ?? "").split(".").filter(Boolean);
    const states = await app.engine.ask("line", { game: { ruleset: ruleset.form, start, moves }, from: 0 });
    const tree = makeTree(app.engine, ruleset, start, states[0]);
    for (const [index, move] of moves.entries()) {
      const child = { parent: tree.current, children: [], move, ply: index + 1, state: states[index + 1] };
      tree.current.children.push(child);
      tree.current = child;
    }
    return tree;
  } catch (error) {
    throw new Error(damaged(error.message));
  }
}

/// Hands the reader a file.
function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
