// The interactive view of a chart, for hosts of MCP Apps (revision 2026-01-26). The host sends the result of the tool: its
// `_meta` has revenue, orders and spend by day. Every figure here is a sum of them or a ratio of two sums.
const byId = (id) => document.getElementById(id);
const names = { revenue: 'Revenue', orders: 'Orders', spend: 'Spend', roas: 'ROAS', aov: 'AOV' };
const parts = { roas: ['revenue', 'spend'], aov: ['revenue', 'orders'] }; // ratios: numerator and denominator
const day = 864e5;
const cursor = byId('cursor');
const card = byId('card');
const main = document.querySelector('main');
let data = null; // the figures of the result
let metric = 'revenue';
let grain = 'day';
let off = new Set(); // series that are switched off
let at = -1; // the period under the pointer or the keyboard cursor
let drawn = null; // what is on the picture
let cents = false; // amounts of money have decimals

// Dates are numbers of days since 1970-01-01, which was a Thursday.
const parse = (text) => Date.parse(text + 'T00:00:00Z') / day;
const dated = (n, options) => new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options }).format(n * day);
const short = (n) => dated(n, { month: 'short', day: 'numeric' });
const long = (n) => dated(n, { month: 'short', day: 'numeric', year: 'numeric' });
const firstOfMonth = (n, months) => {
  const date = new Date(n * day);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / day;
};
const starts = { day: (n) => n, week: (n) => n - ((n + 3) % 7), month: (n) => firstOfMonth(n, 0) };
const nexts = { day: (n) => n + 1, week: (n) => n + 7, month: (n) => firstOfMonth(n, 1) };

// periods cuts the days of the data at Mondays or at the first of each month. A period that the data cut, or that
// contains today, is not complete.
function periods(by) {
  const out = [];
  for (let n = data.first; n <= data.last;) {
    const start = starts[by](n);
    const next = nexts[by](start);
    const end = Math.min(next - 1, data.last);
    const whole = start === n && end === next - 1;
    const index = (date) => (data.grain === 'day' ? date - data.first : out.length);
    out.push({ first: n, last: end, from: index(n), to: index(end), partial: !whole || (n <= data.today && data.today <= end) });
    n = end + 1;
  }
  return out;
}

function use(next) {
  data = next;
  data.grains = data.grain === 'day' ? ['day', 'week', 'month'] : [data.grain];
  metric = data.metric;
  grain = data.grains.includes(data.granularity) ? data.granularity : data.grain;
  off = new Set();
  at = -1;
}

// sum adds the known values of some series in a period; null if there are none.
function sum(series, field, { from, to }) {
  const known = series.flatMap((one) => one[field].slice(from, to + 1)).filter((value) => value !== null);
  return known.length ? known.reduce((a, b) => a + b) : null;
}

// value is the metric of some series in a period; null if it is unknown.
function value(series, period) {
  const scale = 10 ** data.exponent;
  const pair = parts[metric];
  if (!pair) {
    const total = sum(series, metric, period);
    return total === null || metric === 'orders' ? total : total / scale;
  }
  const [over, under] = pair.map((field) => sum(series, field, period));
  if (over === null || !(under > 0)) return null;
  return metric === 'aov' ? over / under / scale : over / under;
}

const everything = () => ({ first: data.first, last: data.last, from: 0, to: data.series[0].orders.length - 1, all: true });
const nameOf = (one) => one.name || 'Total';
const present = () => data.series.filter((one) => periods(data.grain).some((p) => value([one], p)));
const visible = () => present().filter((one) => !off.has(one));

function format(x, compact) {
  if (x === null) return 'none';
  const money = !['roas', 'orders'].includes(metric);
  const digits = { roas: 2, orders: 0, aov: data.exponent }[metric] ?? (cents ? data.exponent : 0);
  const options = compact ? { notation: 'compact', maximumFractionDigits: 2, minimumFractionDigits: 0 } : { maximumFractionDigits: digits, minimumFractionDigits: digits };
  if (money) Object.assign(options, { style: 'currency', currency: data.currency, currencyDisplay: 'narrowSymbol' });
  return new Intl.NumberFormat('en-US', options).format(x).replace('-', '\u2212').replace('K', 'k');
}

function when(period) {
  if (period.first === period.last) return long(period.first);
  if (period.all || grain === 'week') return `${short(period.first)} \u2013 ${long(period.last)}`;
  return grain === 'month' ? dated(period.first, { month: 'long', year: 'numeric' }) : long(period.first);
}

const note = (period) => (period.first <= data.today && data.today <= period.last ? `${grain} so far` : `part of the ${grain}`);

function element(tag, attributes = {}, ...children) {
  const svg = ['svg', 'path', 'rect', 'circle', 'text', 'g'].includes(tag);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', tag) : document.createElement(tag);
  for (const [name, content] of Object.entries(attributes)) node.setAttribute(name, content);
  node.append(...children);
  return node;
}

const color = (one) => `var(--series${data.series.indexOf(one) % 6})`;

// colored gives a node the color of a series. The lines of the seventh series and the next ones are dashed.
function colored(node, one, fill = color(one)) {
  node.style.stroke = color(one);
  node.style.fill = fill;
  if (fill === 'none' && data.series.indexOf(one) >= 6) node.setAttribute('stroke-dasharray', '6 3');
  return node;
}

function swatch(one) {
  return element('svg', { viewBox: '0 0 18 10', 'aria-hidden': 'true' }, colored(element('path', { d: 'M1 5H17', 'stroke-width': 3 }), one, 'none'));
}

// ticks returns round values from below the lowest to above the highest value.
function ticks(low, high) {
  const rough = (high - low || 1) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].find((m) => m * power >= rough * 0.999) * power;
  const out = [];
  for (let i = Math.floor(low / step + 1e-9); i <= Math.ceil(high / step - 1e-9); i++) out.push(i * step);
  return out;
}

// Bars of sums are stacked; bars of ratios are next to each other.
const stacks = (shown) => data.kind === 'bar' && !parts[metric] && shown.length > 1;

function extent(shown, columns) {
  const ends = [0];
  for (const period of columns) {
    const all = shown.map((one) => value([one], period) ?? 0);
    const total = (keep) => all.filter(keep).reduce((a, b) => a + b, 0);
    ends.push(...(stacks(shown) ? [total((x) => x > 0), total((x) => x < 0)] : all));
  }
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  return high === low ? [0, 1] : [low, high];
}

function drawAxes(svg, frame, columns) {
  for (const tick of frame.ticks) {
    svg.append(element('path', { class: tick === 0 ? 'zero' : 'grid', d: `M${frame.left} ${frame.y(tick)}H${frame.right}` }));
    svg.append(element('text', { x: frame.left - 8, y: frame.y(tick) + 4, 'text-anchor': 'end' }, format(tick, true)));
  }
  const every = Math.max(1, Math.ceil(columns.length / Math.max(2, Math.floor((frame.right - frame.left) / 76))));
  columns.forEach((period, i) => {
    if (i % every !== 0) return;
    const text = grain === 'month' ? dated(starts.month(period.first), { month: 'short', year: '2-digit' }) : short(period.first);
    const anchor = columns.length > 1 && i === 0 && data.kind !== 'bar' ? 'start' : 'middle';
    svg.append(element('text', { x: frame.x(i), y: frame.bottom + 18, 'text-anchor': anchor }, text));
  });
}

function drawMarks(svg, frame, columns) {
  let free = frame.left;
  for (const mark of data.marks) {
    const x = frame.x(columns.findIndex((p) => p.first <= mark.day && mark.day <= p.last));
    if (!(x >= 0)) continue;
    const width = mark.label.length * 5.8;
    const from = Math.min(Math.max(x - width / 2, frame.left), frame.right - width);
    svg.append(element('path', { class: 'mark', d: `M${x} ${frame.top - 6}V${frame.bottom}` }));
    if (from < free) continue; // the card has the label
    svg.append(element('text', { x: from, y: frame.top - 10 }, mark.label));
    free = from + width + 12;
  }
}

// drawLine breaks a line at unknown values and dots it next to incomplete periods.
function drawLine(svg, frame, one, columns) {
  const points = columns.map((period, i) => ({ v: value([one], period), x: frame.x(i), partial: period.partial }));
  for (const open of [false, true]) {
    let path = '';
    points.forEach((p, i) => {
      const before = points[i - 1];
      if (!before || before.v === null || p.v === null || (before.partial || p.partial) !== open) return;
      path += `M${before.x} ${frame.y(before.v)}L${p.x} ${frame.y(p.v)}`;
    });
    if (!path) continue;
    svg.append(colored(element('path', { d: path, class: open ? 'line open' : 'line' }), one, 'none'));
  }
  points.forEach((p, i) => {
    const alone = (points[i - 1]?.v ?? null) === null && (points[i + 1]?.v ?? null) === null;
    if (p.v === null || !(p.partial || alone || columns.length <= 16)) return;
    svg.append(colored(element('circle', { cx: p.x, cy: frame.y(p.v), r: 3, 'stroke-width': 2 }), one, p.partial ? 'var(--ground)' : color(one)));
  });
}

function drawBars(svg, frame, shown, columns) {
  const room = ((frame.right - frame.left) / columns.length) * 0.72;
  columns.forEach((period, i) => {
    let [up, down] = [0, 0];
    shown.forEach((one, k) => {
      const v = value([one], period);
      if (v === null) return;
      const from = !stacks(shown) ? 0 : v > 0 ? up : down;
      if (v > 0) up += v; else down += v;
      const width = stacks(shown) ? room : room / shown.length;
      const x = frame.x(i) - room / 2 + (stacks(shown) ? 0 : k * width);
      const [a, b] = [frame.y(from), frame.y(from + v)];
      const bar = element('rect', { x: x + 0.5, y: Math.min(a, b), width: Math.max(1, width - 1), height: Math.max(0.5, Math.abs(a - b)) });
      svg.append(colored(bar, one, period.partial ? 'var(--ground)' : color(one)));
    });
  });
}

// drawShares shows each series as one bar, for pies: lengths are easier to compare than angles.
function drawShares(svg, width, shown) {
  const whole = parts[metric] ? null : value(shown, everything());
  const all = shown.map((one) => ({ one, v: value([one], everything()) })).filter((s) => s.v !== null).sort((a, b) => b.v - a.v);
  const widest = Math.max(...all.map((s) => s.v), 0);
  all.forEach(({ one, v }, i) => {
    const y = i * 38;
    const share = whole > 0 ? ` \u00b7 ${((100 * v) / whole).toFixed(1)}%` : '';
    const bar = element('rect', { x: 1, y: y + 20, height: 10, rx: 3, width: Math.max(1, (width - 2) * (v / widest || 0)) });
    svg.append(element('text', { class: 'name', y: y + 14 }, nameOf(one)),
      element('text', { class: 'name', x: width, y: y + 14, 'text-anchor': 'end' }, format(v) + share), colored(bar, one));
  });
  return all.length * 38;
}

function draw() {
  if (!data) return;
  const shown = visible();
  const svg = byId('picture');
  svg.replaceChildren();
  const width = Math.max(240, byId('plot').clientWidth);
  const pie = data.kind === 'pie';
  cursor.hidden = pie || shown.length === 0;
  card.hidden = true;
  drawn = null;
  let height = Math.round(Math.min(320, Math.max(200, width * 0.42)));
  const columns = periods(grain);
  if (shown.length === 0) {
    svg.append(element('text', { class: 'name', x: width / 2, y: height / 2, 'text-anchor': 'middle' },
      present().length ? 'All series are switched off' : `No ${names[metric]} in this period`));
  } else if (pie) {
    height = drawShares(svg, width, shown);
  } else {
    const scale = ticks(...extent(shown, columns));
    const labels = scale.map((tick) => format(tick, true).length);
    const frame = { left: 14 + Math.max(...labels) * 6, right: width - 10, top: data.marks.length ? 26 : 10, bottom: height - 26, ticks: scale };
    const [low, high] = [scale[0], scale[scale.length - 1]];
    frame.y = (v) => frame.bottom - ((v - low) / (high - low)) * (frame.bottom - frame.top);
    const inset = data.kind === 'bar' ? 0.5 : 0;
    const steps = data.kind === 'bar' ? columns.length : Math.max(1, columns.length - 1);
    const middle = data.kind !== 'bar' && columns.length === 1 ? 0.5 : inset;
    frame.x = (i) => frame.left + ((i + middle) / steps) * (frame.right - frame.left);
    drawAxes(svg, frame, columns);
    drawMarks(svg, frame, columns);
    if (data.kind === 'bar') drawBars(svg, frame, shown, columns);
    else [...shown].reverse().forEach((one) => drawLine(svg, frame, one, columns));
    drawn = { frame, columns, shown };
    place(frame, columns);
  }
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.style.height = `${height}px`;
  if (drawn && at >= 0) point(Math.min(at, columns.length - 1));
}

function place(frame, columns) {
  const { left, top } = frame;
  for (const [side, size] of Object.entries({ left, top, width: frame.right - left, height: frame.bottom - top })) cursor.style[side] = `${size}px`;
  cursor.setAttribute('aria-valuemin', 0);
  cursor.setAttribute('aria-valuemax', columns.length - 1);
  speak(at < 0 ? columns.length - 1 : Math.min(at, columns.length - 1), columns);
}

function speak(i, columns) {
  const period = columns[i];
  const figures = visible().map((one) => `${nameOf(one)} ${format(value([one], period))}`).join(', ');
  cursor.setAttribute('aria-valuenow', i);
  cursor.setAttribute('aria-valuetext', `${when(period)}${period.partial ? `, ${note(period)}` : ''}: ${figures}`);
}

// point shows the values of one period.
function point(i) {
  at = i;
  const { frame, columns, shown } = drawn;
  const period = columns[i];
  const svg = byId('picture');
  svg.querySelector('.pointer')?.remove();
  const x = frame.x(i);
  const group = element('g', { class: 'pointer' }, element('path', { class: 'here', d: `M${x} ${frame.top}V${frame.bottom}` }));
  card.replaceChildren(element('b', {}, when(period)));
  if (period.partial) card.append(element('em', {}, note(period)));
  const values = shown.map((one) => ({ one, v: value([one], period) }));
  if (data.kind !== 'bar') values.sort((a, b) => (b.v ?? -Infinity) - (a.v ?? -Infinity));
  for (const { one, v } of values) {
    card.append(element('div', {}, swatch(one), element('span', {}, nameOf(one)), element('strong', {}, format(v))));
    if (v === null || data.kind === 'bar') continue;
    group.append(colored(element('circle', { cx: x, cy: frame.y(v), r: 4.5 }), one));
  }
  if (shown.length > 1) {
    card.append(element('div', { class: 'all' }, element('span', {}, parts[metric] ? 'Together' : 'Total'), element('strong', {}, format(value(shown, period)))));
  }
  for (const mark of data.marks) {
    if (period.first <= mark.day && mark.day <= period.last) card.append(element('em', {}, mark.label));
  }
  svg.append(group);
  card.hidden = false;
  const room = byId('plot').clientWidth;
  const left = x + 14 + card.offsetWidth <= room ? x + 14 : x - 14 - card.offsetWidth;
  card.style.left = `${Math.max(0, left)}px`;
  speak(i, columns);
}

function unpoint() {
  at = -1;
  card.hidden = true;
  byId('picture').querySelector('.pointer')?.remove();
}

function choices(box, all, now, label, choose) {
  box.hidden = all.length < 2;
  box.replaceChildren(box.firstChild, ...all.map((name) => {
    const input = element('input', { type: 'radio', name: box.id, value: name });
    input.checked = name === now;
    input.addEventListener('change', () => choose(name));
    return element('label', {}, input, element('span', {}, label(name)));
  }));
}

function fillLegend() {
  const all = present();
  byId('legend').hidden = all.length < 2;
  byId('legend').replaceChildren(...all.map((one) => {
    const button = element('button', { type: 'button', 'aria-pressed': String(!off.has(one)) }, swatch(one), element('span', {}, nameOf(one)));
    button.addEventListener('click', () => {
      if (!off.delete(one)) off.add(one);
      button.setAttribute('aria-pressed', String(!off.has(one)));
      refresh();
    });
    return element('li', {}, button);
  }));
}

function refresh() {
  const [all, shown] = [present(), visible()];
  const total = value(shown, everything());
  cents = Math.abs(total ?? 0) < 1000;
  byId('figure').textContent = shown.length ? format(total) : '';
  const some = shown.length < all.length ? `, ${shown.length} of ${all.length} series` : '';
  byId('period').textContent = `${names[metric]}${some}, ${when(everything())}`;
  const notes = [...data.notes];
  const columns = periods(grain);
  if (data.kind !== 'pie' && columns.some((p) => p.partial)) {
    notes.push(`${data.kind === 'bar' ? 'Outlined bar' : 'Hollow point, dotted line'}: ${grain} not complete.`);
  }
  byId('notes').textContent = notes.join(' ');
  draw();
}

function open() {
  byId('title').textContent = data.title;
  byId('message').hidden = true;
  for (const id of ['plot', 'controls']) byId(id).hidden = false;
  choices(byId('metrics'), Object.keys(names), metric, (name) => names[name], (name) => {
    metric = name;
    const of = data.series.length > 1 ? ' by channel' : data.series[0].name && `: ${data.series[0].name}`;
    byId('title').textContent = name === data.metric ? data.title : names[name] + of;
    fillLegend();
    refresh();
  });
  choices(byId('grains'), data.kind === 'pie' ? [] : data.grains, grain, (name) => name[0].toUpperCase() + name.slice(1), (name) => {
    unpoint();
    grain = name;
    refresh();
  });
  fillLegend();
  refresh();
}

function say(text) {
  byId('message').textContent = text;
  byId('message').hidden = false;
  for (const id of ['plot', 'controls', 'legend']) byId(id).hidden = true;
  for (const id of ['figure', 'period', 'notes']) byId(id).textContent = '';
  data = null;
}

function fromMeta(sent) {
  if (!sent?.series || !names[sent.metric]) return null;
  const notes = sent.grain === 'day' ? [] : [`Values by ${sent.grain}: the period has too many days for this view.`];
  return {
    ...sent, first: parse(sent.first), last: parse(sent.last), today: parse(sent.today), notes,
    marks: (sent.marks ?? []).map((mark) => ({ label: mark.label, day: parse(mark.date) })),
  };
}

function show(result) {
  const text = result?.content?.find((piece) => piece.type === 'text')?.text ?? '';
  if (result?.isError) return say(text || 'The call failed.');
  const sent = result?._meta?.['assay/chart'];
  const next = fromMeta(sent);
  if (!next?.series.length) return say(sent?.summary || result?.structuredContent?.summary || text);
  use(next);
  return open();
}

// The cursor over the picture: pointer, touch and keyboard.
const nearest = (event) => {
  const box = cursor.getBoundingClientRect();
  const last = drawn.columns.length - 1;
  const part = (event.clientX - box.left) / box.width;
  return Math.max(0, Math.min(last, data.kind === 'bar' ? Math.floor(part * (last + 1)) : Math.round(part * last)));
};
for (const kind of ['pointermove', 'pointerdown']) cursor.addEventListener(kind, (event) => { if (drawn) point(nearest(event)); });
cursor.addEventListener('pointerleave', () => { if (document.activeElement !== cursor) unpoint(); });
cursor.addEventListener('focus', () => { if (drawn && at < 0) point(drawn.columns.length - 1); });
cursor.addEventListener('blur', unpoint);
cursor.addEventListener('keydown', (event) => {
  if (!drawn) return;
  const last = drawn.columns.length - 1;
  const now = at < 0 ? last : at;
  const to = { ArrowLeft: now - 1, ArrowDown: now - 1, ArrowRight: now + 1, ArrowUp: now + 1, Home: 0, End: last }[event.key];
  if (event.key === 'Escape') unpoint();
  if (to === undefined) return;
  event.preventDefault();
  point(Math.max(0, Math.min(last, to)));
});

// Messages of the host.
const post = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const root = document.documentElement;
root.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

function adopt(context) {
  if (context?.theme) root.dataset.theme = context.theme;
  const font = context?.styles?.variables?.['--font-sans'];
  if (font) root.style.setProperty('--font-sans', font);
}

window.addEventListener('message', (event) => {
  const message = event.data;
  if (event.source !== window.parent || message?.jsonrpc !== '2.0') return;
  if (message.id === 'initialize' && message.result) {
    adopt(message.result.hostContext);
    post({ method: 'ui/notifications/initialized', params: {} });
    measure();
  } else if (message.method === 'ui/notifications/tool-result') {
    show(message.params);
  } else if (message.method === 'ui/notifications/tool-cancelled') {
    say('The call was canceled.');
  } else if (message.method === 'ui/notifications/host-context-changed') {
    adopt(message.params);
  } else if (message.method && message.id !== undefined) {
    const known = ['ping', 'ui/resource-teardown'].includes(message.method);
    post({ id: message.id, ...(known ? { result: {} } : { error: { code: -32601, message: 'Method not found' } }) });
  }
});

let size = [];
function measure() {
  const { width, height } = main.getBoundingClientRect();
  if (width !== size[0]) requestAnimationFrame(draw);
  if (width === size[0] && height === size[1]) return;
  size = [width, height];
  post({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
}
new ResizeObserver(measure).observe(main);
post({
  id: 'initialize', method: 'ui/initialize',
  params: { appInfo: { name: 'assay-chart', version: '1' }, appCapabilities: { availableDisplayModes: ['inline'] }, protocolVersion: '2026-01-26' },
});
