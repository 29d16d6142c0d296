import { formTexts } from '../../texts/forms.ts';
import type { JsonSchema } from '../values/schema.ts';

/** What the schema says about a field: what it is, its range, an example, what it is by default. */
export function fieldHelp({
  description,
  example,
  minimum,
  maximum,
  default: standard,
}: JsonSchema): string | undefined {
  const range =
    minimum !== undefined && maximum !== undefined && Math.abs(maximum) < 1e12
      ? formTexts.fromTo(minimum, maximum)
      : undefined;
  const shown = [
    description,
    range,
    typeof example === 'string' && formTexts.example(example),
    (typeof standard === 'number' || typeof standard === 'string') &&
      standard !== '' &&
      !description?.includes('efault') &&
      formTexts.defaultValue(standard),
  ].filter(Boolean);
  return shown.length > 0 ? shown.join('. ') : undefined;
}
