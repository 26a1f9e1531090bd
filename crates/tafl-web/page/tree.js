// A game with its variations. Every node is a position; what the engine says of it stays with it.

function makeTree(engine, ruleset, start, first) {
  const root = { parent: null, children: [], move: null, ply: 0, state: first };
  return { engine, ruleset, start, root, current: root };
}

/// Begins a game: `ruleset` is what the engine says of one, `start` a position or null.
async function newTree(engine, ruleset, start = null) {
  const [first] = await engine.ask("line", { game: { ruleset: ruleset.form, start, moves: [] }, from: 0 });
  return makeTree(engine, ruleset, start, first);
}

/// Makes the tree of a text that the engine has read.
async function treeOf(engine, reading) {
  const ruleset = await engine.ask("ruleset", { ruleset: reading.ruleset });
  const tree = makeTree(engine, ruleset, reading.start, reading.first);
  const nodes = [tree.root];
  for (const [after, move, state] of reading.plies) {
    const parent = nodes[after];
    const known = parent.children.find((child) => child.move === move);
    const node = known ?? { parent, children: [], move, ply: parent.ply + 1, state };
    if (!known) parent.children.push(node);
    nodes.push(node);
  }
  tree.end = reading.end && { after: lineThrough(tree.root).at(-1), words: reading.end };
  return tree;
}

/// Nodes from the root to one of the tree.
function lineTo(node) {
  const line = [];
  for (let at = node; at; at = at.parent) line.unshift(at);
  return line;
}

/// The line that goes through a node, on along first children.
function lineThrough(node) {
  const line = lineTo(node);
  while (line.at(-1).children.length > 0) line.push(line.at(-1).children[0]);
  return line;
}

const gameTo = (tree, node) => ({ ruleset: tree.ruleset.form, start: tree.start, moves: lineTo(node).slice(1).map((one) => one.move) });

/// Returns the node after a move, which is new unless the move was played before.
async function addMove(tree, node, move) {
  const known = node.children.find((child) => child.move === move);
  if (known) return known;
  const game = gameTo(tree, node);
  game.moves.push(move);
  const [state] = await tree.engine.ask("line", { game, from: game.moves.length });
  const twin = node.children.find((child) => child.move === move);
  if (twin) return twin;
  const child = { parent: node, children: [], move, ply: node.ply + 1, state };
  node.children.push(child);
  return child;
}

const sideText = (node) => (node.state.mover === "attackers" ? "attackers" : "defenders");

/// The position of a node as boards take it.
function positionOf(node, size) {
  const { state } = node;
  return { squares: parseBoard(state.board), captured: state.captured, from: state.from, to: state.to, size };
}

/// How the game ended away from the board, as texts of games have it.
const offBoardWords = ({ winner, reason }) => [{ resigned: "resigned", time: "timeout" }[reason], { attackers: "Black", defenders: "White" }[winner] ?? "Draw"].filter(Boolean).join(" ");

/// The game as text that this page, and `tafl rules convert` without variations, read.
function treeText(tree) {
  const { form, preset } = tree.ruleset;
  const head = [`ruleset: ${preset ? form.name : JSON.stringify(form)}`];
  // What stands nearer to the turns counts, whatever a title says of rules.
  if (tree.title) head.unshift(`# ${tree.title}`);
  if (tree.start) head.push(`position: ${tree.start}`);
  const words = [];
  const write = (node) => {
    for (let at = node; at.children.length > 0; [at] = at.children) {
      const [main, ...others] = at.children;
      words.push(main.state.text);
      for (const other of others) {
        words.push("(", other.state.text);
        write(other);
        words.push(")");
      }
    }
  };
  write(tree.root);
  // What the text that was opened says of its last ply holds while that is the last.
  if (tree.end && tree.end.after === lineThrough(tree.root).at(-1)) words.push(tree.end.words);
  const moves = words.join(" ").replaceAll("( ", "(").replaceAll(" )", ")");
  return `${head.join("\n")}\n${moves}\n`;
}

/// What happened last, in words.
function plyWords(node, size) {
  const { state } = node;
  if (!node.parent) return WORDS.start(capital(state.side));
  const taken = state.captured.map(([index, letter]) => WORDS.pieceOn(WORDS.pieces[letter], squareName(index, size)));
  const what = node.move === "end" ? WORDS.endsChain(state.mover) : WORDS.moved(state.mover, state.text.split("x")[0]);
  return taken.length > 0 ? WORDS.captures(what, taken.join(", ")) : what;
}

const endWords = (state) => (state.winner ? WORDS.wins(capital(state.winner), WORDS.reasons[state.reason]) : WORDS.drawn(WORDS.reasons[state.reason]));
