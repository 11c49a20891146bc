'use strict';
const report = JSON.parse(document.getElementById('report').textContent);
const statuses = {
  '+': ['resolves', 'everything resolves'],
  'g': ['guarded', 'failures are guarded'],
  '?': ['unknown', 'it is not known'],
  'X': ['fails', 'fails'],
};

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const programs = report.objects.flatMap((object) => object.programs);
// The kernels on which no program that is not optional has one of the marks.
function kernelsWithout(marks) {
  return report.kernels.filter((_, kernel) =>
    programs.every((program) => program.optional || !marks.includes(program.cells[kernel])));
}
const fitting = kernelsWithout('?X');
const unknown = kernelsWithout('X').length - fitting.length;

function count(number, what) {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function showHeader() {
  const all = fitting.length === report.kernels.length;
  document.getElementById('title').textContent = all
    ? `Everything fits ${report.kernels.length === 1 ? 'the kernel' : `all ${report.kernels.length} kernels`}`
    : `${fitting.length} of ${count(report.kernels.length, 'kernel')} fit` +
      (unknown === 0 ? '' : `; of ${unknown} it is not known`);
  document.getElementById('figures').textContent =
    `${count(programs.length, 'program')} of ${count(report.objects.length, 'object')}`;
  for (const [name, text] of Object.values(statuses))
    document.getElementById('legend').append(make('li', { class: name }, text));
}

// Whether a program has a problem, as all have where none is named, or another one of its struct_ops map.
function concerns(problem, program) {
  const names = report.program_lists[problem.programs];
  return names.length === 0 || names.includes(program.name) ||
    report.objects[problem.object].maps.some((map) =>
      map.includes(program.name) && map.some((name) => names.includes(name)));
}

// Shows the problems of a program on a kernel; of all where neither is given.
function showProblems(object, program, kernel) {
  const place = document.getElementById('problems');
  const shown = report.problems.filter((problem) =>
    (object === undefined || problem.object === object) &&
    (kernel === undefined || problem.kernels.includes(kernel)) &&
    (program === undefined || concerns(problem, program)));
  let title = 'All that fails';
  if (kernel !== undefined) title = `On ${report.kernels[kernel].name}`;
  if (program !== undefined) title = `${program.name}, ${title.toLowerCase().startsWith('on') ? 'on' + title.slice(2) : ''}`;
  place.replaceChildren(make('h2', {}, title));
  if (shown.length === 0) place.append(make('p', {}, 'Nothing fails here.'));
  for (const problem of shown)
    place.append(make('article', { class: problem.is_error ? 'fails' : 'unknown' },
      make('p', {}, make('strong', {}, problem.message)),
      make('p', {}, make('small', {}, `${problem.place} `, problem.is_error ? '' : '(a warning)')),
      make('pre', {}, problem.details.join('\n'))));
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

function cell(object, program, kernel) {
  const mark = program.cells[kernel];
  const [name, text] = statuses[mark];
  const label = `${program.name} on ${report.kernels[kernel].name}: ${text}`;
  const button = make('button',
    { type: 'button', class: name, 'aria-pressed': 'false', title: label, 'aria-label': label },
    mark === 'X' ? '\u00d7' : mark === '?' ? '?' : '');
  button.addEventListener('click', () => press(button, object, program, kernel));
  return make('td', {}, button);
}

function showMatrix() {
  const head = make('tr', {}, make('th', {}));
  report.kernels.forEach((kernel, index) => {
    const label = kernel.release || kernel.name;
    const button = make('button', { type: 'button', 'aria-pressed': 'false', title: kernel.name },
      kernel.architecture ? `${label} ${kernel.architecture}` : label);
    button.addEventListener('click', () => press(button, undefined, undefined, index));
    head.append(make('th', { scope: 'col' }, button));
  });
  const body = make('tbody');
  report.objects.forEach((object, index) => {
    body.append(make('tr', {}, make('th', { scope: 'rowgroup', colspan: report.kernels.length + 1 }, object.name)));
    for (const program of object.programs)
      body.append(make('tr', {},
        make('th', { scope: 'row', title: program.section }, program.name,
          ...(program.optional ? [' ', make('small', {}, '(optional)')] : [])),
        ...report.kernels.map((_, kernel) => cell(index, program, kernel))));
  });
  document.getElementById('matrix').append(make('table', {}, make('thead', {}, head), body));
}

showHeader();
showMatrix();
showProblems();
