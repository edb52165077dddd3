// Keyboard shortcuts, menus that close, lists of check boxes, sliders, values of charts, and charts as files. Pages work without it.
(() => {
  'use strict';
  const typing = (node) => node.closest('input, textarea, select, [contenteditable]') !== null;

  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
      const box = document.getElementById('ask');
      if (box === null) return;
      event.preventDefault();
      box.focus();
    }
    if (event.key === 'Escape') close(null);
    if (!event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) shortcut(event.key);
  });

  const places = { o: '/', c: '/channels', m: '/models', b: '/optimizer', e: '/experiments', f: '/forecasts', d: '/decisions' };
  let went = -Infinity; // time of the key g

  // shortcut opens the help on "?" and a page on "g" and its letter. The address is that of the navigation.
  function shortcut(key) {
    if (key === '?') document.getElementById('shortcuts')?.showModal();
    if (performance.now() - went < 1500 && places[key] !== undefined) {
      const link = [...document.querySelectorAll('.side .group a')].find((one) => new URL(one.href).pathname === places[key]);
      if (link !== undefined) link.click();
    }
    went = key === 'g' ? performance.now() : -Infinity;
  }

  for (const button of document.querySelectorAll('button[data-open]')) {
    button.hidden = false;
    button.addEventListener('click', () => document.getElementById(button.dataset.open).showModal());
  }

  // close closes the open menus that do not contain the node. A menu that had the focus returns it to its button.
  function close(inside) {
    for (const menu of document.querySelectorAll('details.drop[open]')) {
      if (menu.contains(inside)) continue;
      if (menu.contains(document.activeElement) && inside === null) menu.querySelector('summary').focus();
      menu.open = false;
    }
  }
  document.addEventListener('click', (event) => close(event.target));

  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = 'Copied';
    });
  }

  for (const button of document.querySelectorAll('button[data-save]')) {
    button.hidden = false;
    button.addEventListener('click', () => save(button.closest('.block'), button.dataset.save, button.dataset.name));
  }

  // save downloads the visible chart of a part of the page.
  async function save(part, form, name) {
    const shown = [...part.querySelectorAll('.plot svg, figure img')].find((node) => node.getBoundingClientRect().width > 0);
    if (shown === undefined) return;
    const { width, height } = shown.getBoundingClientRect();
    let source = shown;
    if (shown.tagName !== 'IMG') {
      const address = URL.createObjectURL(new Blob([standalone(shown)], { type: 'image/svg+xml' }));
      if (form === 'svg') {
        download(address, `${name}.svg`);
        return;
      }
      source = new Image();
      source.src = address;
      await source.decode();
    }
    const canvas = document.createElement('canvas');
    canvas.width = width * 2;
    canvas.height = height * 2;
    const paper = canvas.getContext('2d');
    paper.fillStyle = getComputedStyle(document.body).backgroundColor;
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(source, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((picture) => download(URL.createObjectURL(picture), `${name}.png`), 'image/png');
  }

  // standalone returns a drawing with its colors, which the page keeps in a style sheet.
  function standalone(picture) {
    const copy = picture.cloneNode(true);
    const from = [picture, ...picture.querySelectorAll('*')];
    [copy, ...copy.querySelectorAll('*')].forEach((node, i) => {
      const style = getComputedStyle(from[i]);
      for (const name of ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'fill-opacity', 'opacity', 'font-size', 'font-weight', 'font-family']) {
        if (style.getPropertyValue(name) !== '') node.setAttribute(name, style.getPropertyValue(name));
      }
      node.removeAttribute('class');
      delete node.dataset.points;
    });
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    return new XMLSerializer().serializeToString(copy);
  }

  function download(address, name) {
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  for (const pick of document.querySelectorAll('.pick')) choose(pick);

  // choose counts the selected check boxes of a list. The map next to the list shows and changes the same regions.
  function choose(pick) {
    const boxes = [...pick.querySelectorAll('input')];
    const count = pick.querySelector('[data-chosen]');
    const tiles = [...pick.parentElement.querySelectorAll('.choosing g')];
    const boxOf = (tile) => boxes.find((one) => one.value === tile.dataset.region);
    const draw = () => {
      count.textContent = `${boxes.filter((one) => one.checked).length} of ${boxes.length} chosen`;
      for (const tile of tiles) if (boxOf(tile)) tile.setAttribute('class', boxOf(tile).checked ? 'treated' : 'compared');
    };
    count.hidden = false;
    pick.addEventListener('change', draw);
    for (const tile of tiles) tile.addEventListener('click', () => boxOf(tile)?.click());
    draw();
  }

  for (const dual of document.querySelectorAll('.dual')) slide(dual);

  // slide connects the two sliders of a channel with its typed limits. The form sends only the typed limits.
  function slide(dual) {
    const sliders = [...dual.querySelectorAll('input')];
    const fields = [...dual.parentElement.querySelectorAll('input.amount')];
    const typed = (i) => Number(fields[i].value.replaceAll(',', ''));
    const draw = () => {
      const [low, high] = sliders.map((one) => Number(one.value) / Number(one.max));
      dual.style.setProperty('--low', low);
      dual.style.setProperty('--high', high);
      sliders.forEach((one, i) => one.setAttribute('aria-valuetext', fields[i].value === '' ? `${one.value}, by default` : one.value));
    };
    const changed = () => {
      const note = dual.closest('.block').querySelector('[data-changed]');
      note.textContent = 'The limits have changed. Optimize the budget again to see the effect.';
    };
    dual.hidden = false;
    sliders.forEach((one, i) => one.addEventListener('input', () => {
      const other = Number(sliders[1 - i].value);
      if (i === 0 ? Number(one.value) > other : Number(one.value) < other) one.value = other;
      fields[i].value = one.value;
      draw();
      changed();
    }));
    fields.forEach((one, i) => one.addEventListener('input', () => {
      if (one.value !== '' && Number.isFinite(typed(i))) sliders[i].value = typed(i);
      draw();
      changed();
    }));
    draw();
  }

  for (const picture of document.querySelectorAll('svg[data-points]')) watch(picture);

  // watch shows the values of the day under the pointer, or of the day selected with the arrow keys.
  function watch(picture) {
    const points = JSON.parse(picture.dataset.points);
    if (points.length === 0) return;
    const figure = picture.closest('.plot');
    const card = document.createElement('div');
    card.className = 'plot-card';
    card.setAttribute('role', 'status');
    card.hidden = true;
    figure.append(card);
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'line');
    line.setAttribute('class', 'cursor');
    line.setAttribute('y1', picture.dataset.top);
    line.setAttribute('y2', picture.dataset.bottom);
    line.setAttribute('visibility', 'hidden');
    picture.append(line);
    let at = -1;

    function show(index) {
      at = Math.max(0, Math.min(points.length - 1, index));
      const { x, title, rows } = points[at];
      line.setAttribute('x1', x);
      line.setAttribute('x2', x);
      line.setAttribute('visibility', 'visible');
      card.replaceChildren();
      const heading = document.createElement('strong');
      heading.textContent = title;
      card.append(heading);
      const list = document.createElement('dl');
      for (const [name, value] of rows) {
        const term = document.createElement('dt');
        const text = document.createElement('dd');
        term.textContent = name;
        text.textContent = value;
        list.append(term, text);
      }
      card.append(list);
      card.hidden = false;
      const right = x > picture.clientWidth / 2;
      card.classList.toggle('left', right);
      card.style.setProperty('left', right ? '' : `${x + 14}px`);
      card.style.setProperty('right', right ? `${figure.clientWidth - x + 14}px` : '');
    }
    function hide() {
      card.hidden = true;
      line.setAttribute('visibility', 'hidden');
    }
    picture.addEventListener('pointermove', (event) => {
      const x = event.clientX - picture.getBoundingClientRect().left;
      let nearest = 0;
      points.forEach((p, i) => { if (Math.abs(p.x - x) < Math.abs(points[nearest].x - x)) nearest = i; });
      show(nearest);
    });
    picture.addEventListener('pointerleave', hide);
    picture.addEventListener('blur', hide);
    picture.addEventListener('focus', () => show(at < 0 ? points.length - 1 : at));
    picture.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, Home: -points.length, End: points.length }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      show(at + step);
    });
    picture.setAttribute('tabindex', '0');
  }
})();
