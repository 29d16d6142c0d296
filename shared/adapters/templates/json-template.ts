/** Whether the text of a template begins as JSON: an object, or a list of objects or texts. */
export const isJsonTemplate = (template: string) => /^\s*(?:\{\s*(?:"|\{%)|\[\s*(?:"|\{\s*"))/.test(template);

/** Where something begins that is not just text. */
const marks = /\{\{|\{%|\\|"/g;
/** The author has cared for it. */
const isEscaped = /\|\s*(?:json|jsonify|json_text|replace)\b/;

/** The only filter that is as quick as an output without one. */
export const quickFilter = ' | json_text';

/**
 * The template with the filter `json_text` behind each output that stands in a literal of JSON, so that quotes and line
 * breaks of a value stay in that literal (D255).
 */
export function escapeInJson(template: string): string {
  let [written, at, inLiteral] = ['', 0, false];
  for (;;) {
    marks.lastIndex = at;
    const mark = marks.exec(template);
    if (!mark) return written + template.slice(at);
    const end = endOfPart(template, mark.index, mark[0]);
    const part = template.slice(mark.index, end);
    if (part === '"') inLiteral = !inLiteral;
    const isOpen = inLiteral && mark[0] === '{{' && !isEscaped.test(part);
    written += template.slice(at, mark.index) + (isOpen ? escapeOutput(part) : part);
    at = end;
  }
}

/** An output, a tag or an escape ends behind its end; what does not end, with the template. */
function endOfPart(template: string, start: number, mark: string): number {
  if (mark === '"') return start + 1;
  if (mark === '\\') return start + 2;
  const findEnd = (text: string, from: number) => {
    const found = template.indexOf(text, from);
    return found < 0 ? template.length : found + text.length;
  };
  if (mark === '{{') return findEnd('}}', start);
  const end = findEnd('%}', start);
  // Blocks without outputs.
  const [, block] = /^\{%-?\s*(raw|comment)\b/.exec(template.slice(start, end)) ?? [];
  return block ? findEnd('%}', findEnd(`end${block}`, end)) : end;
}

function escapeOutput(output: string): string {
  const inside = output.slice(2, -2);
  const trimmed = inside.trimEnd();
  return trimmed.endsWith('-')
    ? `{{${trimmed.slice(0, -1)}${quickFilter} -}}`
    : `{{${trimmed}${quickFilter}}}`;
}

/** JSON, or a value a line. */
export function isJsonText(text: string): boolean {
  if (isJson(text)) return true;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every(isJson);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
