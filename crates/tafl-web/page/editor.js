// A ruleset as a form: its switches, and its first position drawn by hand.

const SIZES = [7, 9, 11];

function makeEditor(app) {
  const { engine } = app;
  const { rules } = WORDS;
  const edit = { form: null, size: 11, squares: [], piece: "t", checked: null, run: 0, written: "", base: "" };
  const board = makeTable({ onSquare: (index) => { const { size } = edit; change(() => { if (edit.size === size) put(index); }); }, label: WORDS.board });
  const ui = editorParts(app, board);

  const text = () => Array.from({ length: edit.size }, (_, row) => {
    const rank = edit.squares.slice((edit.size - 1 - row) * edit.size, (edit.size - row) * edit.size);
    return rank.map((letter) => letter || " ").join("").replace(/ +/g, (gap) => String(gap.length));
  }).join("/");
  const draw = () => board.show({ squares: edit.squares, captured: [], from: null, to: null });
  const shape = () => {
    const { size } = edit;
    const corners = [0, size - 1, size * size - size, size * size - 1];
    const edges = Array.from({ length: size * size }, (_, index) => index).filter((index) => [0, size - 1].includes(index % size) || [0, size - 1].includes(Math.floor(index / size)));
    const throne = (size * size - 1) / 2;
    const isEdges = edit.form.escape === "edges";
    const middle = edit.form.throne === false ? [] : [throne];
    return { size, throne: middle[0], restricted: isEdges ? middle : [...middle, ...corners], goals: isEdges ? edges : corners };
  };
  const alike = (index) => {
    const { size } = edit;
    if (!ui.mirror.checked) return [index];
    const [file, rank] = [index % size, Math.floor(index / size)];
    const far = (at) => size - 1 - at;
    const places = [[file, rank], [far(file), rank], [file, far(rank)], [far(file), far(rank)]];
    return [...new Set([...places, ...places.map(([a, b]) => [b, a])].map(([a, b]) => b * size + a))];
  };
  const put = (index) => {
    const letter = edit.squares[index] === edit.piece ? "" : edit.piece;
    const isOne = ["K", "N"].includes(edit.piece);
    if (isOne) edit.squares = edit.squares.map((one) => (one === edit.piece ? "" : one));
    for (const place of isOne ? [index] : alike(index)) edit.squares[place] = letter;
    draw();
    check();
  };
  const value = (control) => {
    if (control.type === "number") return control.value.trim() === "" ? "none" : Number(control.value);
    return control.type === "checkbox" ? control.checked : control.value;
  };
  const named = (ruleset, isTaken = app.isOfPage) => {
    const { name } = ruleset.form;
    const known = app.rulesets.find((one) => one.form.name === name);
    if (known && isTaken(name) && JSON.stringify(known.form) !== JSON.stringify(ruleset.form)) throw new Error(rules.taken(name));
    return app.named(ruleset);
  };
  const adopt = (ruleset) => {
    app.adopt(ruleset);
    ui.base.select.value = ruleset.form.name;
    offerRemoval();
  };
  const offerRemoval = () => { edit.base = ui.base.select.value; ui.remove.hidden = app.isOfPage(edit.base); };
  const based = () => app.rulesets.find((one) => one.form.name === ui.base.select.value);
  /// Asks the engine whether the rules can be played, and shows their file.
  const check = async () => {
    const fields = Object.entries(ui.controls).map(([field, control]) => [field, value(control)]);
    edit.form = { ...edit.form, ...Object.fromEntries(fields), name: ui.name.value, start: text() };
    edit.run += 1;
    const own = edit.run;
    try {
      const checked = named(await engine.ask("ruleset", { ruleset: edit.form }), (name) => name !== edit.base || app.isOfPage(name));
      if (own !== edit.run) return;
      edit.checked = checked;
      write(checked.toml);
      ui.told.textContent = knowsWords(checked);
      ui.told.classList.remove("warning");
    } catch (error) {
      if (own !== edit.run) return;
      edit.checked = null;
      write("");
      ui.told.textContent = `${rules.wrong} ${error.message}`;
      ui.told.classList.add("warning");
    }
    allow();
  };
  const write = (toml) => { ui.toml.value = toml; edit.written = ui.toml.value; };
  const isTyped = () => ui.toml.value !== edit.written;
  const allow = () => [ui.play, ui.analyze, ui.save].forEach((button) => { button.disabled = edit.checked === null && !isTyped(); });
  /// Takes the rules of a file, as the program reads it, and returns them; the form stays where they cannot be read.
  const read = async (file, text) => {
    try {
      const ruleset = named(await engine.ask("toml", { file, text }));
      adopt(ruleset);
      load(ruleset, ruleset.form.name);
      Object.assign(edit, { checked: ruleset, written: ui.toml.value });
      return ruleset;
    } catch (error) {
      ui.told.textContent = error.message;
      ui.told.classList.add("warning");
      ui.told.scrollIntoView({ block: "nearest" });
      return null;
    }
  };
  const take = () => read(`${ui.name.value}.toml`, ui.toml.value);
  const giveUp = () => { const { title, answers } = rules.unread; return question(title, ui.told.textContent, answers); };
  /// Changes the form. A text that the reader changed is taken first; if it cannot be read, it stays unless he gives it up.
  const change = async (act) => { if (!isTyped() || await take() || await giveUp()) await act(); else fill(); };
  /// Does what a button says with the rules of the form, or of its text where the reader changed that.
  const use = (button, act) => button.addEventListener("click", async () => {
    try {
      const ruleset = isTyped() ? await take() : edit.checked;
      if (!ruleset) return;
      adopt(ruleset);
      await act(ruleset);
    } catch (error) { app.fail(error); }
  });
  /// Rules of the reader's own go on under their name; new ones have one of their own.
  const nameFor = ({ form: { name } }) => (app.isOfPage(name) ? numbered(`my-${name}`, (free) => !app.rulesets.some((one) => one.form.name === free)) : name);
  const load = (ruleset, name = nameFor(ruleset)) => {
    offerRemoval();
    edit.form = { ...ruleset.form, name };
    edit.size = ruleset.board.size;
    edit.squares = parseBoard(ruleset.form.start);
    fill();
    redraw();
  };
  /// Lets the controls show the form.
  const fill = () => {
    ui.base.select.value = edit.base;
    ui.name.value = edit.form.name;
    ui.size.select.value = String(edit.size);
    for (const [field, control] of Object.entries(ui.controls)) {
      const now = edit.form[field];
      if (control.type === "checkbox") control.checked = now; else control.value = now === "none" && control.type === "number" ? "" : now;
    }
  };
  const redraw = () => { board.setShape(shape()); draw(); check(); };
  /// Lets a control change the form: `act` comes when it shows what the reader wants.
  const listen = (control, event, act) => control.addEventListener(event, () => {
    const shown = control.type === "checkbox" ? "checked" : "value";
    const wanted = control[shown];
    change(() => { if (control[shown] !== wanted) control[shown] = wanted; act(); }).catch(app.fail);
  });
  for (const control of [ui.name, ...Object.values(ui.controls)]) listen(control, "input", () => { check().then(() => { board.setShape(shape()); draw(); }); });
  listen(ui.base.select, "change", () => load(based()));
  listen(ui.size.select, "change", () => {
    edit.size = Number(ui.size.select.value);
    edit.squares = Array(edit.size ** 2).fill("");
    edit.squares[(edit.size ** 2 - 1) / 2] = "K";
    redraw();
  });
  ui.clear.addEventListener("click", () => change(() => { edit.squares = edit.squares.map((letter) => (letter === "K" ? "K" : "")); redraw(); }));
  ui.pieces.forEach((button) => button.addEventListener("click", () => {
    edit.piece = button.dataset.piece;
    ui.pieces.forEach((one) => one.setAttribute("aria-pressed", one === button));
  }));
  sure(ui.remove, rules.removeSure, () => { edit.written = ui.toml.value; app.forget(edit.base); });
  use(ui.play, (ruleset) => app.playRules(ruleset));
  use(ui.analyze, (ruleset) => newTree(engine, ruleset).then((tree) => app.analyze(tree, false)));
  use(ui.save, ({ form, toml }) => download(`${form.name}.toml`, toml));
  ui.toml.addEventListener("input", allow);
  ui.file.addEventListener("change", async () => {
    const [file] = ui.file.files;
    if (file) await change(async () => read(file.name, await file.text())).catch(app.fail);
    ui.file.value = "";
  });
  ui.take.addEventListener("click", take);
  load(app.first);
  return { node: ui.node, show: () => { if (!isTyped()) redraw(); }, leave: () => {}, keys: {}, edit, ui };
}

/// Fields with other places in the editor, or none.
const OTHER_FIELDS = ["base", "name", "start", "match", "captureless_reason"];

/// The control of a field as the schema of ruleset files describes it, with our words where there are any.
function fieldControl(field) {
  const { fields, unlimited } = WORDS.rules;
  const schema = SCHEMA.properties[field];
  const inShort = ({ description }) => description.split(/[.;]( |$)/)[0].replace(/ \(spec\.md[^)]*\)/, "");
  const [label, words] = fields[field] ?? [inShort(schema)];
  const control = (node, tag = "choice") => [el("label", { class: tag }, tag === "choice" ? [el("span", {}, label), node] : [node, ` ${label}`]), node];
  if (schema.type === "boolean") return control(el("input", { type: "checkbox" }), "check");
  if (schema.type === "integer") return control(el("input", { type: "number", min: schema.minimum, max: 100000, required: true }));
  if (schema.oneOf.some((one) => one.type === "integer")) return control(el("input", { type: "number", min: 1, max: 100000, placeholder: unlimited }));
  const { node, select } = choice(label, schema.oneOf.map((one) => [one.const, words?.[one.const] ?? inShort(one)]), () => {});
  return [node, select];
}

function editorParts(app, board) {
  const { rules } = WORDS;
  const controls = {};
  const known = Object.keys(rules.fields);
  const others = Object.keys(SCHEMA.properties).filter((field) => !known.includes(field) && !OTHER_FIELDS.includes(field));
  const rows = [...known, ...others].map((field) => {
    const [node, control] = fieldControl(field);
    controls[field] = control;
    return node;
  });
  const pieces = ["t", "T", "K", "c", "N", ""].map((letter) => el("button", { type: "button", "data-piece": letter, "aria-pressed": letter === "t", "aria-label": letter ? WORDS.pieces[letter] : rules.nobody, title: letter ? WORDS.pieces[letter] : rules.nobody }, letter ? pieceIcon(letter) : "×"));
  const ui = {
    controls, pieces, base: choice(rules.base, app.rulesets.map((one) => [one.form.name, rulesetName(one)]), () => {}, app.first.form.name), size: choice(rules.size, SIZES.map((size) => [String(size), `${size}×${size}`]), () => {}, "11"),
    name: el("input", { type: "text", maxlength: 64, spellcheck: "false" }), mirror: el("input", { type: "checkbox", checked: true }), clear: action(rules.clear), remove: action(rules.remove), told: el("p", { class: "told", "aria-live": "polite" }),
    play: el("button", { type: "button", class: "primary" }, rules.play), analyze: action(rules.analyze), save: action(rules.save), toml: el("textarea", { rows: 17, "aria-label": rules.file, spellcheck: "false" }), file: el("input", { type: "file", accept: ".toml,text/plain", "aria-label": rules.open }), take: action(rules.take),
  };
  ui.node = el("div", { class: "both" },
    el("div", { class: "place" }, board.node, el("div", { class: "tools pieces", role: "group", "aria-label": rules.piece }, pieces), el("div", { class: "tools" }, check(ui.mirror, rules.mirror), ui.clear)),
    el("div", { class: "panel" }, el("div", { class: "card" }, note(rules.help), el("label", { class: "choice" }, el("span", {}, rules.open), ui.file), el("div", { class: "setup" }, ui.base.node, ui.size.node, el("label", { class: "choice" }, el("span", {}, rules.name), ui.name), rows), ui.told, el("div", { class: "tools" }, ui.play, ui.analyze, ui.save, ui.remove), fold(rules.file, ui.toml, el("div", { class: "tools" }, ui.take)))));
  return ui;
}
