import { formTexts } from '../../texts/forms.ts';
import { isObject, type JsonObject, type JsonSchema, resolved, withoutNull } from '../values/schema.ts';
import { toLabel } from './labels.ts';

/** How a value is edited. */
export type FormField =
  | { kind: 'const'; value: unknown }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'text'; isLong: boolean; isSecret: boolean }
  | { kind: 'number'; isWhole: boolean }
  | { kind: 'yes-no' }
  | { kind: 'object'; schema: JsonSchema }
  | { kind: 'list'; items: JsonSchema }
  | { kind: 'variants'; variants: readonly JsonSchema[] }
  /** Anything else, as JSON. */
  | { kind: 'json' };

/** From so many characters on, a text has several lines. */
const longText = 500;

export function schemaField(declaredSchema: JsonSchema, root: JsonSchema): FormField {
  const schema = withoutNull(declaredSchema, root);
  const { type, enum: values, oneOf, anyOf, properties, items } = schema;
  if ('const' in schema) return { kind: 'const', value: schema.const };
  if (values?.every((each) => typeof each === 'string'))
    return { kind: 'choice', values: values as string[] };
  const variants = (oneOf ?? anyOf)
    ?.map((each) => resolved(each, root))
    .filter((each) => each.type !== 'null');
  if (variants?.length) return unionOf(variants);
  const [name = ''] = [type].flat().filter((each) => each !== 'null');
  if (name === 'string')
    return {
      kind: 'text',
      isLong: (schema.maxLength ?? 0) > longText && schema.format === undefined,
      isSecret: schema.format === 'password',
    };
  if (name === 'number' || name === 'integer') return { kind: 'number', isWhole: name === 'integer' };
  if (name === 'boolean') return { kind: 'yes-no' };
  if (name === 'array' && items) return { kind: 'list', items: resolved(items, root) };
  if (name === 'object' && properties) return { kind: 'object', schema };
  return { kind: 'json' };
}

function unionOf(variants: readonly JsonSchema[]): FormField {
  const consts = variants.map((each) => each.const);
  if (consts.every((each) => typeof each === 'string')) return { kind: 'choice', values: consts as string[] };
  return { kind: 'variants', variants };
}

/** The value that a field begins with: what its variant is, its default, or what is required. */
export function initialValue(schema: JsonSchema, root: JsonSchema): unknown {
  const whole = resolved(schema, root);
  if (whole.default !== undefined && !isEmptyObject(whole.default)) return whole.default;
  const field = schemaField(whole, root);
  if (field.kind === 'const') return field.value;
  if (field.kind === 'choice') return field.values[0];
  if (field.kind === 'list') return [];
  if (field.kind === 'yes-no') return false;
  if (field.kind === 'variants') return initialValue(field.variants[0] ?? {}, root);
  if (field.kind !== 'object') return undefined;
  const { required = [], properties = {} } = field.schema;
  const members = required.map((name) => [name, initialValue(properties[name] ?? {}, root)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

const isEmptyObject = (value: unknown) => isObject(value) && Object.keys(value).length === 0;

/** The texts and free values of an object that another variant has too, so that a change of the variant keeps them. */
export function fitting(value: unknown, { properties = {} }: JsonSchema, root: JsonSchema): JsonObject {
  if (!isObject(value)) return {};
  const kinds: Readonly<Record<string, string>> = { string: 'text', object: 'json' };
  const fits = ([name, member]: [string, unknown]) =>
    Object.hasOwn(properties, name) &&
    schemaField(resolved(properties[name] ?? {}, root), root).kind === kinds[typeof member];
  return Object.fromEntries(Object.entries(value).filter(fits));
}

/** Which of some variants a value is: the one whose constants it has, else the one of its type. */
export function variantIndex(value: unknown, variants: readonly JsonSchema[]): number {
  const byConstants = variants.findIndex(
    ({ properties = {} }) =>
      isObject(value) &&
      Object.values(properties).some((each) => 'const' in each) &&
      Object.entries(properties).every(([name, each]) => !('const' in each) || value[name] === each.const),
  );
  if (byConstants >= 0) return byConstants;
  const byType = variants.findIndex((variant) => [variant.type].flat().includes(typeOf(value)));
  return Math.max(0, byType);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** What to call a variant: its constant, or its type. */
export function variantLabel({ title, properties = {}, type }: JsonSchema): string {
  if (title) return title;
  const constant = Object.values(properties).find((each) => typeof each.const === 'string')?.const;
  if (typeof constant === 'string') return toLabel(constant);
  const names: Record<string, string> = {
    object: formTexts.details,
    array: formTexts.list,
    string: formTexts.text,
    boolean: formTexts.yesOrNo,
  };
  const [name = ''] = [type].flat();
  return names[String(name)] ?? toLabel(String(name || 'value'));
}
