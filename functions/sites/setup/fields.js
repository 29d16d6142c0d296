// The secrets that the intake screen lists: how each stands, and the field of one that needs a value.

const shortest = 8;
const longest = 10_000;

/**
 * Shows a text, or nothing at all where there is none.
 * @param {HTMLElement} target
 */
export function write(target, text = '') {
  target.textContent = text;
  target.hidden = text === '';
}

const words = { configured: 'Configured', needs_configuration: 'Needs a value', invalid: 'Cannot be set' };

/**
 * The row of a secret. What is being typed for one that still needs its value stays as it is.
 * @param {import('./types.d.ts').SetupItem} item
 * @param {import('./types.d.ts').SetupField | import('./types.d.ts').Row} [before]
 * @returns {import('./types.d.ts').SetupField | import('./types.d.ts').Row}
 */
export function fieldOf(item, before) {
  const { secretKey: key, status } = item;
  if (before?.status === status && status === 'needs_configuration') return before;
  const template = /** @type {HTMLTemplateElement} */ (document.getElementById('item'));
  const copy = /** @type {DocumentFragment} */ (template.content.cloneNode(true));
  const row = /** @type {Element} */ (copy.firstElementChild);
  /** @param {string} selector */
  const part = (selector) => /** @type {HTMLElement} */ (row.querySelector(selector));
  row.className = status;
  write(part('.key'), item.displayName ?? key);
  write(part('.status'), words[status]);
  write(part('.about'), item.description ?? '');
  if (status !== 'needs_configuration') {
    for (const selector of ['.value', '.help', '.error']) part(selector).remove();
    part('.key').replaceWith(
      Object.assign(document.createElement('span'), { className: 'key', textContent: key }),
    );
    return { row, status };
  }
  const input = /** @type {HTMLInputElement} */ (part('input'));
  const field = { key, row, status, input, error: part('.error') };
  const [help, error] = [part('.help'), field.error];
  write(help, item.helpText);
  [help.id, error.id] = [`help-${key}`, `error-${key}`];
  /** @type {HTMLLabelElement} */ (part('.key')).htmlFor = `value-${key}`;
  equip(field, field.input, `value-${key}`);
  part('.reveal').setAttribute('aria-label', `Show the value of ${key}`);
  part('.reveal').addEventListener('click', ({ currentTarget }) =>
    reveal(field, /** @type {HTMLElement} */ (currentTarget)),
  );
  return field;
}

/**
 * @param {import('./types.d.ts').SetupField} field
 * @param {import('./types.d.ts').SetupField['input']} input
 * @param {string} id
 */
function equip(field, input, id) {
  input.id = id;
  input.setAttribute('aria-describedby', `${field.error.id} help-${field.key}`);
  input.addEventListener('input', () => complain(field));
  input.addEventListener('paste', (event) => pasteLines(field, /** @type {ClipboardEvent} */ (event)));
  field.input = input;
}

/**
 * @param {import('./types.d.ts').SetupField} field
 * @param {HTMLElement} button
 */
function reveal({ input }, button) {
  const shown = button.getAttribute('aria-pressed') !== 'true';
  if (input instanceof HTMLInputElement) input.type = shown ? 'text' : 'password';
  else input.classList.toggle('masked', !shown);
  button.setAttribute('aria-pressed', String(shown));
  button.textContent = shown ? 'Hide' : 'Show';
}

/**
 * A value of several lines, such as a private key, would lose its line ends in a password field.
 * @param {import('./types.d.ts').SetupField} field
 * @param {ClipboardEvent} event
 */
function pasteLines(field, event) {
  const text = event.clipboardData?.getData('text').replaceAll('\r\n', '\n') ?? '';
  if (!field.input.matches('input') || !text.trimEnd().includes('\n')) return;
  event.preventDefault();
  const area = document.createElement('textarea');
  for (const name of ['autocomplete', 'autocapitalize', 'spellcheck', 'data-1p-ignore', 'data-lpignore']) {
    area.setAttribute(name, field.input.getAttribute(name) ?? '');
  }
  area.value = text;
  area.classList.toggle('masked', field.input.type === 'password');
  field.input.replaceWith(area);
  equip(field, area, field.input.id);
  complain(field);
  area.focus();
}

/**
 * Says beside a field what is wrong with it, or that nothing is.
 * @param {import('./types.d.ts').SetupField} field
 */
export function complain({ input, error }, message = '') {
  write(error, message);
  if (message) input.setAttribute('aria-invalid', 'true');
  else input.removeAttribute('aria-invalid');
}

/** @param {string} value */
export function mistakeIn(value) {
  if (value.trim().length < shortest) return `Too short: a value has at least ${shortest} characters.`;
  if (value.length > longest)
    return `Too long: a value has at most ${longest.toLocaleString('en')} characters.`;
  return '';
}
