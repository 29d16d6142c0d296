// The fields that an approval asks for, made of its JSON Schema. All texts of it are shown as texts.

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {object} members
 * @param {...(Node | string)} children
 */
export function make(tag, members, ...children) {
  const element = document.createElement(tag);
  Object.assign(element, members);
  element.append(...children);
  return element;
}

/**
 * @param {string} name
 * @param {import('./types.d.ts').FieldSchema} schema
 * @param {boolean} isRequired
 * @returns {import('./types.d.ts').ApprovalField}
 */
export function fieldOf(name, schema, isRequired) {
  const id = `field-${name}`;
  const type = [schema.type ?? 'string'].flat().find((each) => each !== 'null') ?? 'string';
  const { control, value } = controlOf(type, schema);
  const error = make('p', { id: `${id}-error`, className: 'error', hidden: true });
  Object.assign(control, { id, required: isRequired });
  control.setAttribute('aria-describedby', error.id);
  const label = make('label', { htmlFor: id, dir: 'auto' }, schema.title ?? name);
  if (!isRequired && type !== 'boolean') label.append(make('span', { className: 'optional' }, ' (optional)'));
  const about = schema.description
    ? [make('p', { className: 'about', dir: 'auto' }, schema.description)]
    : [];
  const parts = type === 'boolean' ? [control, label] : [label, control];
  const row = make(
    'div',
    { className: type === 'boolean' ? 'field check' : 'field' },
    ...parts,
    ...about,
    error,
  );
  return { name, row, control, error, value };
}

/**
 * @param {string} type
 * @param {import('./types.d.ts').FieldSchema} schema
 * @returns {Pick<import('./types.d.ts').ApprovalField, 'control' | 'value'>}
 */
function controlOf(type, schema) {
  const given = schema.default;
  if (Array.isArray(schema.enum)) {
    const values = schema.enum;
    const options = values.map((each, index) =>
      make('option', { value: String(index), selected: each === given }, String(each)),
    );
    const control = make('select', {}, make('option', { value: '' }, 'Choose…'), ...options);
    return { control, value: () => (control.value === '' ? undefined : values[Number(control.value)]) };
  }
  if (type === 'boolean') {
    const control = make('input', { type: 'checkbox', checked: given === true });
    return { control, value: () => control.checked };
  }
  if (type === 'number' || type === 'integer') {
    const control = make('input', { inputMode: 'decimal', value: given === undefined ? '' : String(given) });
    return { control, value: () => parsed(control.value, 'Enter a number.', Number) };
  }
  if (type === 'string') {
    const isLong = (schema.maxLength ?? 1_000) > 200;
    const text = { value: given === undefined ? '' : String(given), dir: 'auto' };
    const control = isLong ? make('textarea', { ...text, rows: 2 }) : make('input', text);
    return { control, value: () => (control.value === '' ? undefined : control.value) };
  }
  const control = make('textarea', { rows: 4, spellcheck: false });
  control.value = given === undefined ? '' : JSON.stringify(given, null, 2);
  return { control, value: () => parsed(control.value, `Enter JSON: ${type}.`, JSON.parse) };
}

/**
 * @param {string} text
 * @param {string} otherwise
 * @param {(text: string) => unknown} parse
 */
function parsed(text, otherwise, parse) {
  if (text.trim() === '') return undefined;
  try {
    const value = parse(text);
    if (!Number.isNaN(value)) return value;
  } catch {}
  throw new Error(otherwise);
}

/**
 * @param {import('./types.d.ts').ApprovalField} field
 * @param {string} [message]
 */
export function complain({ control, error }, message = '') {
  error.textContent = message;
  error.hidden = message === '';
  if (message === '') control.removeAttribute('aria-invalid');
  else control.setAttribute('aria-invalid', 'true');
}
