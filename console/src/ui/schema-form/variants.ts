import { formTexts } from '../../texts/forms.ts';
import { isObject, type JsonSchema } from '../values/schema.ts';
import { toLabel } from './labels.ts';

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
