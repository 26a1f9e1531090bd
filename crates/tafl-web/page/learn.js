// The lesson: small boards, each of which shows a rule of the ruleset in force. The engine makes and judges them.

/// What tells rules of one name apart.
const rulesText = ({ form }) => JSON.stringify(form);

function makeLearn(app) {
  const { engine, table } = app;
  const learn = { ruleset: null, played: null, small: null, boards: [], at: 0, tree: null, isOver: false, done: new Set() };
  const ui = learnParts(app);
  const board = () => learn.boards[learn.at];
  const size = () => learn.tree.ruleset.board.size;
  const words = () => WORDS.learn.topics[board().topic];

  const show = (moved = false) => {
    if (app.tab !== "learn" || !learn.tree) return;
    const { current } = learn.tree;
    table.heat(null);
    table.arrows([]);
    const legal = current.state.legal.split(" ").filter((text) => text !== "" && text !== "end").map((text) => text.split("-").map((name) => squareIndex(name, size())));
    table.show(positionOf(current, size()), { legal: learn.isOver ? [] : legal, moved });
    const [title, task] = words();
    ui.title.textContent = `${learn.at + 1}. ${title}`;
    ui.task.textContent = `${capital(board().side)}: ${task}`;
    ui.rule.textContent = board().rule;
    ui.again.disabled = !current.parent;
    ui.show.disabled = learn.isOver;
    ui.next.disabled = learn.at + 1 >= learn.boards.length;
    refocus(ui.list, () => ui.list.replaceChildren(...learn.boards.map(({ topic }, at) => el("li", {}, el("button", { type: "button", "aria-current": at === learn.at ? "step" : null, onclick: () => begin(at).catch(app.fail) },
      `${learn.done.has(topic) ? "✓ " : ""}${WORDS.learn.topics[topic][0]}`)))), "[aria-current]");
    app.say(plyWords(current, size()));
  };
  const tell = (text, isRight = false) => { ui.told.textContent = text; ui.told.classList.toggle("right", isRight); };
  const begin = async (at) => {
    learn.at = at;
    learn.tree = await newTree(engine, learn.small, board().start);
    learn.isOver = false;
    tell("");
    show();
  };
  const open = async (ruleset) => {
    const lesson = await engine.ask("lesson", { ruleset: ruleset.form });
    Object.assign(learn, { ruleset, boards: lesson.boards, small: lesson.ruleset, tree: null, done: new Set() });
    ui.rules.select.value = ruleset.form.name;
    if (app.tab === "learn") table.setShape(lesson.ruleset.board, false);
    await begin(0);
  };
  const play = async (move) => {
    const { tree } = learn;
    tree.current = await addMove(tree, tree.current, move);
    const { state } = tree.current;
    const { topic } = board();
    const { right, goes_on: goesOn, why } = await engine.ask("attempt", { ruleset: learn.ruleset.form, topic, moves: gameTo(tree, tree.current).moves });
    if (tree !== learn.tree) return;
    learn.isOver = !goesOn;
    if (right) learn.done.add(topic);
    const end = right && state.reason ? [`${endWords(state)}.`] : [];
    tell([right ? WORDS.learn.right : goesOn ? WORDS.learn.goesOn : WORDS.learn.wrong, ...why, ...end, ...(learn.done.size === learn.boards.length && right ? [WORDS.learn.all] : [])].join(" "), right);
    show(true);
  };
  const showMe = async () => {
    await begin(learn.at);
    for (const move of board().moves) await play(move);
  };
  const on = (button, act) => button.addEventListener("click", () => act().catch(app.fail));
  on(ui.again, () => begin(learn.at));
  on(ui.show, showMe);
  on(ui.next, () => begin(learn.at + 1));
  ui.rules.select.addEventListener("change", () => open(app.rulesets.find((one) => one.form.name === ui.rules.select.value)).catch(app.fail));
  return {
    node: ui.node, ui, learn, open, tree: () => learn.tree, leave: () => {}, keys: { f: () => table.flip() },
    show: () => {
      // The rules of the game that is played, until the reader chooses others.
      const played = app.parts.play.tree().ruleset;
      if (learn.played !== rulesText(played)) { learn.played = rulesText(played); open(played).catch(app.fail); return; }
      table.setShape(learn.small.board);
      show();
    },
    onMove: (from, to) => play(`${squareName(from, size())}-${squareName(to, size())}`).catch(app.fail),
  };
}

function learnParts(app) {
  const { learn } = WORDS;
  const ui = {
    title: el("h2", { class: "play-status" }), rule: el("p", { class: "goal" }), task: el("p", { class: "result" }), told: el("p", { class: "told", "aria-live": "polite" }), again: action(learn.again), show: action(learn.show),
    next: el("button", { type: "button", class: "primary" }, learn.next), list: el("ol", { class: "lesson", "aria-label": learn.list }), rules: choice(WORDS.play.rules, app.rulesets.map((one) => [one.form.name, rulesetName(one)]), () => {}, app.first.form.name),
  };
  ui.node = el("div", { class: "panel" }, el("div", { class: "card" }, ui.title, ui.rule, ui.task, ui.told, el("div", { class: "tools" }, ui.next, ui.again, ui.show)), el("div", { class: "card" }, note(learn.help), ui.rules.node, ui.list));
  return ui;
}
