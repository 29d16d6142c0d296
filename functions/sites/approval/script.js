import { complain, fieldOf, make } from './form.js';
import { hindrance, post } from './link-requests.js';

// The page of an approval link. The link's token is in the URL fragment, which browsers do not send. The script removes it
// from the address immediately and keeps it only in this variable.
let token = '';
/** @type {import('./types.d.ts').ApprovalField[]} */
let fields = [];
let isBusy = false;

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const form = element('form');
const main = /** @type {HTMLElement} */ (document.querySelector('main'));
const comment = /** @type {HTMLTextAreaElement} */ (element('comment'));

/**
 * @param {string} operation
 * @param {object} [body]
 */
const ask = (operation, body) => post(`v1/approvals/${operation}`, { token, ...body });

/**
 * Shows a text, or nothing where there is none.
 * @param {string} id
 */
function write(id, text = '') {
  element(id).textContent = text;
  element(id).hidden = text === '';
}

/**
 * Shows only what is given.
 * @param {{ title: string, description?: string, flow?: string | null, details?: string | null, parts?: string[] }} what
 */
function show({ title, description, flow, details, parts = [] }) {
  document.title = title.slice(0, 100);
  write('title', title);
  write('description', description);
  write('flow', flow ?? '');
  write('details', details ?? '');
  for (const note of ['progress', 'alert']) write(note);
  for (const id of ['form', 'again']) element(id).hidden = !parts.includes(id);
}

/**
 * @param {string} title
 * @param {string} description
 */
function end(title, description) {
  token = '';
  fields = [];
  element('fields').replaceChildren();
  element('choices').replaceChildren();
  show({ title, description });
  element('title').focus();
}

/**
 * Ends the page if the link is of no more use.
 * @param {import('../links/types.d.ts').LinkFailure} error
 */
function endIfClosed({ status }) {
  if (status === 404)
    end('This link does not work', 'Open the whole link as you got it, or ask for a new one.');
  else if (status === 409) {
    const why = 'It was answered, its time is over, or the run behind it has ended.';
    end('This question is closed', why);
  } else return false;
  return true;
}

async function start() {
  const first = location.hash.slice(1);
  if (first === '' && token !== '') return;
  token = first;
  history.replaceState(null, '', location.pathname);
  if (token === '') {
    return end(
      'Open the link that you were sent',
      'This page works only from a whole link. If you reloaded it, open your link once more.',
    );
  }
  await load();
}

async function load() {
  show({ title: 'Approval' });
  write('progress', 'Loading…');
  try {
    present(await ask('show'));
  } catch (error) {
    if (endIfClosed(error)) return;
    show({ title: 'Approval', description: hindrance(error), parts: ['again'] });
    element('retry').focus();
  }
}

/** @param {import('./types.d.ts').ApprovalQuestion} question */
function present({ flowName, question, details, choices, form: schema, expiresAt }) {
  const required = schema?.required ?? [];
  fields = Object.entries(schema?.properties ?? {}).map(([name, property]) =>
    fieldOf(name, property, required.includes(name)),
  );
  element('fields').replaceChildren(...fields.map(({ row }) => row));
  element('choices').replaceChildren(
    ...choices.map((choice, index) =>
      make(
        'button',
        { type: 'submit', value: choice, className: index === 0 ? 'primary' : 'other', dir: 'auto' },
        named(choice),
      ),
    ),
  );
  element('until').textContent =
    `Answer before ${new Date(expiresAt).toLocaleString([], { dateStyle: 'long', timeStyle: 'short' })}.`;
  show({ title: question, flow: flowName, details, parts: ['form'] });
}

/** @param {string} choice */
const named = (choice) => choice.charAt(0).toUpperCase() + choice.slice(1);

/** @param {string} choice */
async function submit(choice) {
  if (isBusy) return;
  write('alert');
  for (const field of fields) complain(field);
  const values = valuesTyped();
  if (!values) return;
  busy(true);
  try {
    const note = comment.value.trim();
    await ask('answer', {
      choice,
      ...(fields.length > 0 && { values }),
      ...(note !== '' && { comment: note }),
    });
    main.className = 'done';
    end('Thank you', `Your answer is sent: ${named(choice)}. You can close this page.`);
  } catch (error) {
    refused(error);
  } finally {
    busy(false);
  }
}

/** @returns {Record<string, unknown> | undefined} */
function valuesTyped() {
  /** @type {Record<string, unknown>} */
  const values = {};
  const wrong = fields.filter((field) => {
    try {
      const value = field.value();
      if (value !== undefined) values[field.name] = value;
      else if (field.control.required) throw new Error('Fill in this field.');
      return false;
    } catch (error) {
      complain(field, error.message);
      return true;
    }
  });
  wrong[0]?.control.focus();
  return wrong.length > 0 ? undefined : values;
}

/**
 * What the service says is wrong: beside the field that it names, else above them all.
 * @param {import('../links/types.d.ts').LinkFailure} error
 */
function refused(error) {
  if (endIfClosed(error)) return;
  const named = (error.details ?? []).flatMap(({ path = '', message }) => {
    const field = fields.find(({ name }) => path === `values.${name}` || path.startsWith(`values.${name}.`));
    if (field) complain(field, message);
    return field ? [field] : [];
  });
  if (named.length > 0) return named[0]?.control.focus();
  const said = error.status === 400 ? error.details?.[0]?.message : undefined;
  write('alert', `${said ?? hindrance(error)} Your answer was not sent.`);
}

/** @param {boolean} on */
function busy(on) {
  isBusy = on;
  for (const button of element('choices').children) button.setAttribute('aria-disabled', String(on));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement | null} */ (event.submitter);
  if (button) submit(button.value);
});
// Enter in a field sends nothing: which answer would it be?
form.addEventListener('keydown', (event) => {
  const isField = event.target instanceof HTMLInputElement && event.target.type !== 'checkbox';
  if (event.key === 'Enter' && isField) event.preventDefault();
});
element('retry').addEventListener('click', load);
addEventListener('hashchange', start);
start();
