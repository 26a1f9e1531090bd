// Charts: lines with bands, intervals, stacked bars, columns. Each is drawn as wide as its place and has a table behind it.

const tip = document.getElementById("tip");

function showTip(event, lines) {
  tip.replaceChildren(...lines.map((line) => el("div", {}, line)));
  tip.hidden = false;
  const { innerWidth: width } = window;
  const x = Math.min(event.clientX + 14, width - tip.offsetWidth - 8);
  const above = event.clientY - tip.offsetHeight - 12;
  tip.style.transform = `translate(${Math.max(4, x)}px, ${above < 4 ? event.clientY + 16 : above}px)`;
}
const hideTip = () => { tip.hidden = true; };

/// A figure: heading, drawing, legend, notes, and the table behind it.
function figure(title, { draw, height = 260, legend = [], notes = [], data, label }) {
  const place = el("div", { class: "plot" });
  const name = label ?? title;
  const redraw = () => {
    const width = Math.max(260, Math.floor(place.clientWidth));
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name });
    draw(root, width, height);
    place.replaceChildren(root);
  };
  new ResizeObserver(() => {
    const drawn = place.firstElementChild;
    if (!drawn || Math.abs(Number(drawn.getAttribute("width")) - Math.floor(place.clientWidth)) > 1) redraw();
  }).observe(place);
  const keys = legend.map(([color, text, kind]) => el("li", {}, el("i", { class: `key ${color} ${kind ?? ""}` }), text));
  return el("figure", { "aria-label": title },
    el("figcaption", {}, title),
    keys.length > 0 ? el("ul", { class: "legend" }, keys) : null,
    place,
    notes.map((text) => note(text)),
    data ? fold("Table", data) : null,
  );
}

const linear = (from, to) => (value) => to[0] + ((value - from[0]) / (from[1] - from[0] || 1)) * (to[1] - to[0]);

/// Round numbers within a range, about `count` of them, `least` apart or more.
function ticks([low, high], count, least = 0) {
  const raw = Math.max((high - low) / Math.max(count, 1), least) || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= raw - 1e-12);
  const values = [];
  for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step) values.push(Math.abs(at) < step / 1e6 ? 0 : at);
  return values;
}

/// Texts of the numbers on an axis, all with as many digits as their distance needs.
function tickTexts(values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  const most = Math.max(...values.map(Math.abs), 0);
  if (most >= 10000 && step >= 1000) return values.map((at) => `${fixed(at / 1000, 0)}k`);
  if (step < 1e-7) return values.map(short);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return values.map((at) => fixed(at, digits));
}

function range(values, margin = 0.05) {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const space = (high - low || Math.abs(high) || 1) * margin;
  return [low - space, high + space];
}

/// Draws axes and returns the two scales.
function axes(root, { width, height, x, y, left = 46, right = 20, bottom = 38, top = 26 }) {
  const across = linear(x.range, [left, width - right]);
  const down = linear(y.range, [height - bottom, top]);
  const texts = (axis, places) => (axis.format ? places.map(axis.format) : tickTexts(places));
  const grid = svg("g", { class: "axes" });
  const [rows, columns] = [y.ticks ?? ticks(y.range, 5, y.least), x.ticks ?? ticks(x.range, Math.min(8, width / 80), x.least)];
  const [rowTexts, columnTexts] = [texts(y, rows), texts(x, columns)];
  rows.forEach((at, index) => grid.append(svg("line", { x1: left, x2: width - right, y1: down(at), y2: down(at) }),
    svg("text", { class: "tick", x: left - 6, y: down(at) + 4, "text-anchor": "end" }, rowTexts[index])));
  columns.forEach((at, index) => grid.append(svg("text", { class: "tick", x: across(at), y: height - bottom + 16, "text-anchor": "middle" }, columnTexts[index])));
  grid.append(svg("text", { class: "axis-name", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, x.name));
  grid.append(svg("text", { class: "axis-name", x: 2, y: 12 }, y.name));
  root.append(grid);
  return { across, down };
}

const path = (points) => points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/// Lines over a common axis. A series is { name, color, points: [{ x, y, low, high, text, shift }], kind: "line" | "dashed" | "dotted" | "dots", band };
/// `shift` draws a point so many pixels aside, where it would hide another.
function lineChart(title, { series, x, y, lines = [], notes = [], height = 270, label, toTable, digits = 3, cursor }) {
  const drawn = series.filter((one) => one.points.length > 0);
  const points = drawn.flatMap((one) => one.points);
  // Nothing lies between two games, steps or generations.
  const least = (of) => (points.flatMap(of).every(Number.isInteger) ? 1 : 0);
  const extent = (of) => range(points.flatMap(of).concat(lines.map((line) => line.y ?? NaN)));
  const draw = (root, width) => {
    const xs = x.range ?? range(points.map((point) => point.x), 0.02);
    const [along, up] = [(point) => point.x, (point) => [point.y, point.low ?? point.y, point.high ?? point.y]];
    const ys = y.range ?? extent(up);
    const { across, down } = axes(root, { width, height, x: { ...x, range: xs, least: least(along) }, y: { ...y, range: ys, least: least(up) } });
    for (const line of lines) root.append(line.diagonal
      ? svg("path", { class: "reference", d: path([[across(line.diagonal[0]), down(line.diagonal[0])], [across(line.diagonal[1]), down(line.diagonal[1])]]) })
      : svg("line", { class: "reference", x1: across(xs[0]), x2: across(xs[1]), y1: down(line.y), y2: down(line.y) }));
    for (const one of drawn) root.append(drawSeries(one, across, down));
    if (cursor) {
      const line = svg("line", { class: "cursor", y1: down(ys[0]), y2: down(ys[1]) });
      root.append(line);
      cursor.move = () => { for (const name of ["x1", "x2"]) line.setAttribute(name, across(cursor.at)); };
      cursor.move();
    }
    watch(root, drawn, across, x, y.format ?? ((value) => fixed(value, digits)));
  };
  const legend = drawn.length > 1 || drawn[0]?.name ? drawn.map((one) => [one.color, one.name, one.kind ?? "line"]) : [];
  const rows = drawn.flatMap((one) => one.points.map((point) =>
    [one.name, (x.format ?? short)(point.x), fixed(point.y, digits), point.low === undefined ? "–" : `${fixed(point.low, digits)} to ${fixed(point.high, digits)}`]));
  return figure(title, { draw, height, legend, notes, label,
    data: toTable ?? table(title, ["curve", x.name, y.name, "spread or 95 % interval"], rows) });
}

function drawSeries(one, across, down) {
  const group = svg("g", { class: `series ${one.color}` });
  const place = (point) => across(point.x) + (point.shift ?? 0);
  const at = (point) => [place(point), down(point.y)];
  const spread = one.points.filter((point) => point.low !== undefined);
  if (one.band && spread.length > 1) {
    const edge = [...spread.map((p) => [place(p), down(p.high)]), ...spread.toReversed().map((p) => [place(p), down(p.low)])];
    group.append(svg("path", { class: "band", d: `${path(edge)}Z` }));
  } else for (const p of spread) {
    const px = place(p);
    group.append(svg("path", { class: "whisker", d: `M${px} ${down(p.low)}V${down(p.high)}M${px - 3} ${down(p.low)}h6M${px - 3} ${down(p.high)}h6` }));
  }
  if (one.kind !== "dots") group.append(svg("path", { class: `line ${one.kind ?? ""}`, d: path(one.points.map(at)) }));
  if (one.kind === "dots" || !one.band || one.points.length === 1) {
    for (const point of one.points) {
      const [cx, cy] = at(point);
      group.append(svg("circle", { class: "dot", cx, cy, r: one.kind === "dashed" ? 2.2 : 3.2 }));
    }
  }
  return group;
}

/// Tells the values nearest to the pointer.
function watch(root, series, across, { name, format: place = short }, format) {
  const places = [...new Set(series.flatMap((one) => one.points.map((point) => point.x)))].sort((a, b) => a - b);
  root.addEventListener("pointerleave", hideTip);
  root.addEventListener("pointermove", (event) => {
    const x = event.clientX - root.getBoundingClientRect().left;
    let nearest = places[0];
    for (const place of places) if (Math.abs(across(place) - x) < Math.abs(across(nearest) - x)) nearest = place;
    const lines = series.flatMap((one) => one.points.filter((point) => point.x === nearest)
      .map((point) => point.text ?? `${one.name ? `${one.name}: ` : ""}${format(point.y)}${point.low === undefined ? "" : ` (${format(point.low)} to ${format(point.high)})`}`));
    if (lines.length > 0) showTip(event, [`${name} ${place(nearest)}`, ...lines]);
  });
}

/// Pixels that a letter of a row's name needs.
const LETTER = 7.8;

/// Values with intervals, one a row: [{ label, value, low, high, color, text, gap }]; `gap` opens a new group with a heading.
function intervalChart(title, { rows, x, reference, notes = [], legend = [], data, label }) {
  const rowHeight = 24;
  const tops = [];
  let bottom = 8;
  for (const row of rows) { if (row.gap) bottom += 26; tops.push(bottom); bottom += rowHeight; }
  const height = bottom + 42;
  const draw = (root, width) => {
    const longest = Math.max(...rows.map((row) => row.label.length), 4);
    const left = Math.min(width * 0.42, 14 + longest * LETTER);
    const xs = x.range ?? range(rows.flatMap((row) => [row.low, row.high, row.value]).concat(reference ?? []));
    const scale = linear(xs, [left, width - 22]);
    // An interval of a share may reach beyond what a share can be; it ends at the axis.
    const across = (value) => Math.max(left, Math.min(scale(value), width - 10));
    const grid = svg("g", { class: "axes" });
    const places = x.ticks ?? ticks(xs, Math.min(7, (width - left) / 62));
    const texts = x.format ? places.map(x.format) : tickTexts(places);
    for (const [index, at] of places.entries()) {
      grid.append(svg("line", { x1: across(at), x2: across(at), y1: 4, y2: bottom }),
        svg("text", { x: across(at), y: bottom + 16, "text-anchor": "middle" }, texts[index]));
    }
    grid.append(svg("text", { class: "axis-name", x: width / 2, y: height - 5, "text-anchor": "middle" }, x.name));
    root.append(grid);
    if (reference !== undefined) root.append(svg("line", { class: "reference", x1: across(reference), x2: across(reference), y1: 4, y2: bottom }));
    rows.forEach((row, index) => root.append(drawInterval(row, tops[index] + rowHeight / 2, left, across, width)));
  };
  return figure(title, { draw, height, notes, legend, data, label });
}

function drawInterval(row, y, left, across, width) {
  const group = svg("g", { class: `series ${row.color}` });
  if (row.gap) group.append(svg("text", { class: "group-name", x: 2, y: y - 19 }, row.gap));
  // The middle is left out of a long label: its ends tell more.
  const room = Math.floor((left - 12) / LETTER);
  const label = row.label.length > room ? `${row.label.slice(0, Math.floor(room / 2) - 1)}…${row.label.slice(-Math.ceil(room / 2))}` : row.label;
  group.append(svg("text", { class: "row-name", x: left - 10, y: y + 4, "text-anchor": "end" }, label));
  const [low, high] = [across(row.low), across(row.high)];
  group.append(svg("path", { class: "whisker thick", d: `M${low} ${y}H${high}M${low} ${y - 4}v8M${high} ${y - 4}v8` }));
  group.append(row.hollow
    ? svg("path", { class: "dot hollow", d: `M${across(row.value)} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` })
    : svg("circle", { class: "dot", cx: across(row.value), cy: y, r: 4.5 }));
  const target = svg("rect", { x: 0, y: y - 12, width, height: 24, fill: "transparent" });
  target.addEventListener("pointermove", (event) => showTip(event, [row.label, row.text]));
  target.addEventListener("pointerleave", hideTip);
  group.append(target);
  return group;
}

/// Shares that make a whole, one bar a row: [{ label, parts: [{ color, value, text }] }]; counts of games, or shares as they are.
function stackChart(title, { rows, legend, notes = [], data, shares = false }) {
  const rowHeight = 48;
  const height = rows.length * rowHeight + 26;
  const draw = (root, width) => {
    const left = 4;
    rows.forEach((row, index) => {
      const total = row.parts.reduce((sum, part) => sum + part.value, 0) || 1;
      const y = index * rowHeight + 18;
      root.append(svg("text", { class: "row-name", x: left, y: y - 5 }, shares ? row.label : `${row.label} (${plural(total, "game")})`));
      let x = left;
      for (const part of row.parts.filter((one) => one.value > 0)) {
        const length = (part.value / total) * (width - left - 4);
        const group = svg("g", { class: `part ${part.color}` },
          svg("rect", { x, y, width: Math.max(length - 1, 0.5), height: 25, rx: 2 }));
        const share = percent(part.value / total, 0);
        // Of many parts some have the same color: the wide ones say their names.
        const named = `${part.text} ${share}`;
        if (length > 44) group.append(svg("text", { x: x + length / 2, y: y + 17, "text-anchor": "middle" }, shares && length > 9 * named.length ? named : share));
        group.addEventListener("pointermove", (event) => showTip(event, [row.label, shares ? `${part.text}: ${percent(part.value)}` : `${part.text}: ${whole(part.value)} (${percent(part.value / total)})`]));
        group.addEventListener("pointerleave", hideTip);
        root.append(group);
        x += length;
      }
    });
    const across = linear([0, 1], [left, width - 4]);
    const axis = svg("g", { class: "axes" }, [0, 0.5, 1].map((at) => svg("text",
      { x: across(at), y: height - 6, "text-anchor": at === 0 ? "start" : at === 1 ? "end" : "middle" }, percent(at, 0))));
    root.append(axis);
    if (!shares) root.append(svg("line", { class: "reference", x1: across(0.5), x2: across(0.5), y1: 0, y2: height - 20 }));
  };
  return figure(title, { draw, height, legend, notes, data });
}

/// Columns side by side: bars [{ from, to, games }], one color.
function columnChart(title, { bars, color, x, notes = [], data, height = 200 }) {
  const draw = (root, width) => {
    const most = Math.max(...bars.map((bar) => bar.games), 1);
    const xs = [bars[0].from, bars.at(-1).to];
    const { across, down } = axes(root, { width, height, x: { name: x, range: xs, least: 1 }, y: { name: "games", range: [0, most * 1.06], least: 1, format: short } });
    for (const bar of bars.filter((one) => one.games > 0)) {
      const [left, right] = [across(bar.from), across(bar.to)];
      const rect = svg("rect", { class: `column ${color}`, x: left + 0.5, y: down(bar.games), width: Math.max(right - left - 1, 1), height: down(0) - down(bar.games) });
      rect.addEventListener("pointermove", (event) => showTip(event, [`${bar.from} to ${bar.to - 1}`, plural(bar.games, "game")]));
      rect.addEventListener("pointerleave", hideTip);
      root.append(rect);
    }
  };
  return figure(title, { draw, height, notes, data });
}
