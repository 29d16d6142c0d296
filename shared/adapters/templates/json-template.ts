/** Whether the text of a template begins as JSON: an object, or a list of objects or texts. */
export const isJsonTemplate = (template: string) => /^\s*(?:\{\s*(?:"|\{%)|\[\s*(?:"|\{\s*"))/.test(template);

/** Blocks without outputs, tags, outputs, and what decides whether a literal of JSON goes on. */
const parts = /\{%-?\s*(raw|comment)\b[\s\S]*?\{%-?\s*end\1\s*-?%\}|\{%[\s\S]*?%\}|\{\{[\s\S]*?\}\}|\\.|"/g;
/** The author has cared for it. */
const isEscaped = /\|\s*(?:json|jsonify|json_text|replace)\b/;

/**
 * The template with the filter `json_text` behind each output that stands in a literal of JSON, so that quotes and line
 * breaks of a value stay in that literal.
 */
export function escapedInJson(template: string): string {
  let inLiteral = false;
  return template.replace(parts, (part) => {
    if (part === '"') inLiteral = !inLiteral;
    if (!inLiteral || !part.startsWith('{{') || isEscaped.test(part)) return part;
    return part.replace(/\s*-?\}\}$/, (end) => ` | json_text${end}`);
  });
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
