const report = JSON.parse(document.getElementById('report').textContent);
const statuses = {
  resolves: ['everything resolves', ''], guarded: ['failures are guarded', ''],
  unknown: ['it is not known', '?'], fails: ['fails', '\u00d7'],
};

// What a kernel that was booted did with a program that does not load.
const letters = {
  refused: ['V', 'refused by the verifier'], together: ['V', 'refused by the verifier'],
  loader: ['L', 'refused by libbpf before the kernel was asked'], failed: ['M', 'its map or BTF refused by the kernel'],
  ended: ['E', 'crashed or took too long'],
};

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// The report has the statuses of programs by object, then by kernel.
const cells = report.programs.values();
for (const object of report.objects) {
  for (const program of object.programs) program.cells = [];
  for (const _ of report.kernels)
    for (const program of object.programs) {
      const { status, load } = cells.next().value;
      program.cells.push(status);
      (program.loads ??= []).push(status === 'fails' && load?.check !== 'fails' ? load?.result : undefined);
    }
}
const programs = report.objects.flatMap((object) => object.programs);
// The kernels on which no program that is not optional has one of the statuses.
function kernelsWithout(...names) {
  return report.kernels.filter((_, kernel) =>
    programs.every((program) => program.optional || !names.includes(program.cells[kernel])));
}
const fitting = kernelsWithout('unknown', 'fails');
const unknown = kernelsWithout('fails').length - fitting.length;

function showHeader() {
  const all = fitting.length === report.kernels.length;
  document.getElementById('title').textContent = all
    ? `Everything fits ${report.kernels.length === 1 ? 'the kernel' : `all ${report.kernels.length} kernels`}`
    : `${fitting.length} of ${countOf(report.kernels.length, 'kernel')} ${agree(report.kernels.length, 'fits', 'fit')}` +
      (unknown === 0 ? '' : `; ${unknown} ${agree(unknown, 'is', 'are')} unknown`);
  document.getElementById('figures').textContent =
    `${countOf(programs.length, 'program')} of ${countOf(report.objects.length, 'object')}` +
    [...new Set(report.kernels.map((kernel) => kernel.libbpf))].filter(Boolean).map((libbpf) => `, loaded by libbpf ${libbpf}`).join('') +
    (report.unread ?? []).map((name) => `; ${name} could not be read`).join('');
  for (const [name, [text]] of Object.entries(statuses))
    document.getElementById('legend').append(make('li', { class: name }, text));
  const used = programs.flatMap((program) => program.loads).filter((name) => name in letters);
  for (const text of new Set(used.map((name) => letters[name].join(' '))))
    document.getElementById('legend').append(make('li', { class: 'fails' }, text));
}

// Whether a program has a problem, as all have where none is named, or another one of its struct_ops map.
function concerns(problem, object, program) {
  const names = problem.programs;
  return names.length === 0 || names.includes(program.name) ||
    (object.struct_ops ?? []).some((map) =>
      map.includes(program.name) && map.some((name) => names.includes(name)));
}

// Shows the problems of a program on a kernel; of all where neither is given.
function showProblems(object, program, kernel) {
  const place = document.getElementById('problems');
  const shown = report.problems.filter((problem) =>
    (!kernel || problem.kernels.includes(kernel.name)) &&
    (!program || (problem.object === object.name && concerns(problem, object, program))));
  const title = program ? `${program.name}, on ${kernel.name}` : kernel ? `On ${kernel.name}` : 'All that fails';
  place.replaceChildren(make('h2', {}, title));
  if (shown.length === 0) place.append(make('p', {}, 'Nothing fails here.'));
  for (const { locations = [], details = [], ...problem } of shown) {
    const isError = problem.severity === 'error', known = locations.find((location) => location.line);
    place.append(make('article', { class: isError ? 'fails' : 'unknown' },
      make('p', {}, make('strong', {}, problem.message)),
      make('p', {}, make('small', {}, known ? `${known.source}:${known.line} ` : `${problem.file} `,
        isError ? '' : '(a warning)')),
      make('pre', {}, [...locations.map((location) => location.text ?? []).flat(), ...details].join('\n'))));
  }
}

let pressed = null;
function press(button, ...what) {
  if (pressed) pressed.setAttribute('aria-pressed', 'false');
  const again = pressed === button;
  pressed = again ? null : button;
  if (again) return showProblems();
  button.setAttribute('aria-pressed', 'true');
  showProblems(...what);
}

function cell(object, program, kernel, index) {
  const name = program.cells[index], [mark, text] = letters[program.loads[index]] ?? [...statuses[name]].reverse();
  const label = `${program.name} on ${kernel.name}: ${text}`;
  const button = make('button', { type: 'button', class: name, 'aria-pressed': 'false', title: label, 'aria-label': label }, mark);
  button.addEventListener('click', () => press(button, object, program, kernel));
  return make('td', {}, button);
}

function showMatrix() {
  const head = make('tr', {}, make('th', {}));
  for (const kernel of report.kernels) {
    const label = kernel.release || kernel.name;
    const button = make('button', { type: 'button', 'aria-pressed': 'false', title: kernel.name },
      kernel.architecture ? `${label} ${kernel.architecture}` : label);
    button.addEventListener('click', () => press(button, undefined, undefined, kernel));
    head.append(make('th', { scope: 'col' }, button));
  }
  const body = make('tbody');
  for (const object of report.objects) {
    body.append(make('tr', {}, make('th', { scope: 'rowgroup', colspan: report.kernels.length + 1 }, object.name)));
    for (const program of object.programs)
      body.append(make('tr', {},
        make('th', { scope: 'row', title: program.section }, program.name,
          ...(program.optional ? [' ', make('small', {}, '(optional)')] : [])),
        ...report.kernels.map((kernel, index) => cell(object, program, kernel, index))));
  }
  document.getElementById('matrix').append(make('table', {}, make('thead', {}, head), body));
}

showHeader();
showMatrix();
showProblems();
