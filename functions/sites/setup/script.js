import { complain, fieldOf, mistakeIn, write } from './fields.js';
import { hindrance, post } from './link-requests.js';

// The setup page. The link's token is in the URL fragment, which browsers do not send. The script removes it from the
// address immediately and keeps it only in this variable.
let token = '';
/** @type {string | undefined} */
let returnUrl;
/**
 * The form fields of each secret, by key.
 * @type {Map<string, import('./types.d.ts').SetupField | import('./types.d.ts').Row>}
 */
let fields = new Map();

const source = { type: 'manual' };
/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const [form, alertBox, saveButton] = [element('form'), element('alert'), element('save')];
const main = /** @type {HTMLElement} */ (document.querySelector('main'));

/**
 * @param {string} operation
 * @param {object} [body]
 */
const ask = (operation, body) =>
  post(
    `../v1/secrets/intake/${operation}`,
    { source, ...(returnUrl && { returnUrl }), ...body },
    { authorization: `Bearer ${token}` },
  );

/**
 * Shows only what is given: a heading, a sentence under it, and perhaps the form or a way on.
 * @param {{ title: string, description?: string | undefined, parts?: string[] }} what
 */
function show({ title, description, parts = [] }) {
  document.title = title;
  write(element('title'), title);
  write(element('description'), description);
  for (const note of ['progress', 'saved', 'alert']) write(element(note));
  for (const id of ['form', 'save', 'next', 'again']) element(id).hidden = !parts.includes(id);
  for (const note of /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll('.fine')))
    note.hidden = !parts.includes('save');
}

const endings = {
  incomplete: {
    title: 'Open the link that you were sent',
    description:
      'This page works only from a whole setup link. If you reloaded it, open your link once more.',
  },
  dead: {
    title: 'This link no longer works',
    description: 'It has expired or was used. Ask whoever sent it to you for a new one.',
  },
};

/** @param {keyof typeof endings} kind */
function end(kind) {
  main.className = '';
  token = '';
  fields = new Map();
  element('items').replaceChildren();
  show(endings[kind]);
  element('title').focus();
}

async function start() {
  const [first = '', ...rest] = location.hash.slice(1).split('&');
  if (first === '' && token !== '') return;
  token = first;
  returnUrl = new URLSearchParams(rest.join('&')).get('returnUrl') ?? undefined;
  history.replaceState(null, '', location.pathname);
  if (token === '') end('incomplete');
  else await load();
}

async function load() {
  show({ title: 'Set up secrets' });
  write(element('progress'), 'Loading…');
  try {
    present(await ask('manifest'));
  } catch (error) {
    if (error.status === 401 || error.status === 403) return end('dead');
    // Where to go afterwards is a courtesy: a bad address must not keep anybody from the form.
    if (error.status === 400 && returnUrl) {
      returnUrl = undefined;
      return load();
    }
    show({ title: 'Set up secrets', description: hindrance(error), parts: ['again'] });
    element('retry').focus();
  }
}

/** @param {import('./types.d.ts').SetupManifest} manifest */
function present(manifest) {
  const { title, description, items, pendingConfigurationCount: pending, returnUrl: back } = manifest;
  const before = fields;
  fields = new Map(items.map((item) => [item.secretKey, fieldOf(item, before.get(item.secretKey))]));
  element('items').replaceChildren(...Array.from(fields.values(), ({ row }) => row));
  if (pending > 0) return show({ title, description, parts: ['form', 'save'] });
  const link = element('return');
  if (back) Object.assign(link, { href: back, textContent: `Continue to ${new URL(back).host}` });
  const count = items.length === 1 ? 'The secret is' : `All ${items.length} secrets are`;
  const parts = ['form', ...(back ? ['next'] : [])];
  main.className = 'done';
  show({ title: 'All set', description: `${count} configured. You can close this page.`, parts });
  element('title').focus();
}

/**
 * Tells all mistakes at once and leads to the first.
 * @param {import('./types.d.ts').Mistake[]} mistakes
 */
function tell(mistakes) {
  for (const [field, message] of mistakes) complain(field, message);
  const count = mistakes.length === 1 ? 'A value needs' : `${mistakes.length} values need`;
  write(alertBox, `${count} your attention. Nothing was saved.`);
  mistakes[0]?.[0].input.focus();
}

/** Those that need a value. */
const openFields = () => Array.from(fields.values()).filter((field) => field.input !== undefined);

async function submit() {
  if (saveButton.getAttribute('aria-disabled') === 'true') return;
  for (const note of ['alert', 'saved']) write(element(note));
  const open = openFields();
  for (const field of open) complain(field);
  const filled = open.filter(({ input }) => input.value !== '');
  if (filled.length === 0) return tell(open.slice(0, 1).map((field) => [field, 'Enter a value.']));
  const mistakes = filled
    .map((field) => /** @type {import('./types.d.ts').Mistake} */ ([field, mistakeIn(field.input.value)]))
    .filter(([, message]) => message);
  if (mistakes.length > 0) return tell(mistakes);
  busy(true);
  try {
    await save(filled);
  } catch (error) {
    refused(error, filled);
  } finally {
    busy(false);
  }
}

/** @param {import('./types.d.ts').SetupField[]} filled */
async function save(filled) {
  const items = filled.map(({ key, input }) => ({ key, value: input.value }));
  const { manifest } = await ask('submit', { items });
  for (const { input } of filled) input.value = '';
  present(manifest);
  if (manifest.pendingConfigurationCount === 0) token = '';
  else saved(filled.length, manifest.pendingConfigurationCount);
}

/**
 * @param {number} count
 * @param {number} pending
 */
function saved(count, pending) {
  write(element('saved'), `${count === 1 ? '1 value' : `${count} values`} saved, ${pending} to go.`);
  openFields()[0]?.input.focus();
}

/**
 * What the service says is wrong: beside the item that it names, else above them all.
 * @param {import('../links/types.d.ts').LinkFailure} error
 * @param {import('./types.d.ts').SetupField[]} filled
 */
function refused(error, filled) {
  if (error.status === 401 || error.status === 403) return end('dead');
  const named = (error.details ?? []).flatMap(({ path = '', message }) => {
    const field = filled[Number(/^items\.(\d+)/.exec(path)?.[1] ?? -1)];
    return field ? [/** @type {import('./types.d.ts').Mistake} */ ([field, message])] : [];
  });
  if (named.length > 0) return tell(named);
  write(alertBox, `${hindrance(error)} Your values are still here.`);
  saveButton.focus();
}

/** @param {boolean} on */
function busy(on) {
  saveButton.setAttribute('aria-disabled', String(on));
  saveButton.textContent = on ? 'Saving…' : 'Save securely';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
element('retry').addEventListener('click', load);
// Another link, opened in this very tab, changes the fragment alone.
addEventListener('hashchange', start);
start();
