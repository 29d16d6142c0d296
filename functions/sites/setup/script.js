import { complain, fieldOf, mistakeIn, write } from './fields.js';

// The setup page. The link's token is in the URL fragment, which browsers do not send. The script removes it from the
// address immediately and keeps it only in this variable.
let token = '';
let returnUrl;
/** The form fields of each secret, by key. */
let fields = new Map();

const requestTimeoutMs = 30_000;
const source = { type: 'manual' };
const element = (id) => document.getElementById(id);
const [form, alertBox, saveButton] = ['form', 'alert', 'save'].map(element);

class Refused extends Error {
  constructor(status, body) {
    super(`Status ${status}`);
    this.status = status;
    this.details = Array.isArray(body?.details) ? body.details : [];
  }
}

async function ask(operation, body) {
  const response = await fetch(`../v1/secrets/intake/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source, ...(returnUrl && { returnUrl }), ...body }),
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const answer = await response.json().catch(() => undefined);
  if (!response.ok || !answer) throw new Refused(response.status, answer);
  return answer;
}

/** Shows only what is given: a heading, a sentence under it, and perhaps the form or a way on. */
function show({ title, description, parts = [] }) {
  document.title = title;
  write(element('title'), title);
  write(element('description'), description);
  for (const note of ['progress', 'saved', 'alert']) write(element(note));
  for (const id of ['form', 'save', 'next', 'again']) element(id).hidden = !parts.includes(id);
  for (const note of form.querySelectorAll('.fine')) note.hidden = !parts.includes('save');
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

function end(kind) {
  document.querySelector('main').className = '';
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

/** Why nothing came of it, for a failure that is nobody's typing. */
function hindrance({ status }) {
  if (status === undefined) return 'The service cannot be reached. Check your connection, then try again.';
  if (status === 429) return 'There were too many tries. Wait a few minutes, then try again.';
  return 'Something went wrong on our side. Try again in a moment.';
}

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
  document.querySelector('main').className = 'done';
  show({ title: 'All set', description: `${count} configured. You can close this page.`, parts });
  element('title').focus();
}

/** Tells all mistakes at once and leads to the first. */
function tell(mistakes) {
  for (const [field, message] of mistakes) complain(field, message);
  const count = mistakes.length === 1 ? 'A value needs' : `${mistakes.length} values need`;
  write(alertBox, `${count} your attention. Nothing was saved.`);
  mistakes[0][0].input.focus();
}

async function submit() {
  if (saveButton.getAttribute('aria-disabled') === 'true') return;
  for (const note of ['alert', 'saved']) write(element(note));
  const open = Array.from(fields.values()).filter(({ input }) => input);
  for (const field of open) complain(field);
  const filled = open.filter(({ input }) => input.value !== '');
  if (filled.length === 0) return tell([[open[0], 'Enter a value.']]);
  const mistakes = filled
    .map((field) => [field, mistakeIn(field.input.value)])
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

async function save(filled) {
  const items = filled.map(({ key, input }) => ({ key, value: input.value }));
  const { manifest } = await ask('submit', { items });
  for (const { input } of filled) input.value = '';
  present(manifest);
  if (manifest.pendingConfigurationCount === 0) token = '';
  else saved(filled.length, manifest.pendingConfigurationCount);
}

function saved(count, pending) {
  write(element('saved'), `${count === 1 ? '1 value' : `${count} values`} saved, ${pending} to go.`);
  Array.from(fields.values())
    .find(({ input }) => input)
    ?.input.focus();
}

/** What the service says is wrong: beside the item that it names, else above them all. */
function refused(error, filled) {
  if (error.status === 401 || error.status === 403) return end('dead');
  const named = (error.details ?? []).flatMap(({ path = '', message }) => {
    const field = filled[/^items\.(\d+)/.exec(path)?.[1] ?? -1];
    return field ? [[field, message]] : [];
  });
  if (named.length > 0) return tell(named);
  write(alertBox, `${hindrance(error)} Your values are still here.`);
  saveButton.focus();
}

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
