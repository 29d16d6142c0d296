import { shortId } from '../../../ui/values/format.ts';
import type { Span } from './span-tree.ts';

/** The name of a span beside its kind, without what the kind says already: `chat gpt-5-mini` of a model, `turn 1`. */
export function spanName({ name, kind, attributes }: Pick<Span, 'name' | 'kind' | 'attributes'>): string {
  const record = attributes['record.id'];
  if (kind === 'record' && typeof record === 'string') return shortId(record);
  return name.replace(/^(chat|execute_tool|invoke_agent|turn) (?=.)/, '');
}

const words: Partial<Record<Span['status'], string>> = { ok: 'completed', error: 'failed' };

/** The status of a span in the words of runs. */
export const spanStatus = ({ status }: Pick<Span, 'status'>): string => words[status] ?? status;
