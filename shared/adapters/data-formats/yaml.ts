import { parseAllDocuments, stringify } from 'yaml';
import { markNumbers, mayBeInexact, parseExact, unmarkNumbers } from '../../core/json/exact-json.ts';
import { hasTooManyValues, valuesMax } from '../../core/json/value-count.ts';

// Reading and writing a few megabytes of YAML takes seconds: both run in a thread of the sandbox.

/** The value of a text of JSON or YAML, which holds one document. */
export function readYaml(text: string): Read {
  const read = valueOfJson(text) ?? valueOfYaml(text);
  // Copying them to the thread that asks would take as long as parsing them there.
  return 'value' in read && hasTooManyValues(read.value)
    ? { problem: `It has more than ${valuesMax} values` }
    : read;
}

type Read = { value: unknown } | { problem: string };

function valueOfJson(text: string): Read | undefined {
  try {
    return mayBeInexact(text) ? exactly(parseExact(text)) : { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Numbers of documents are ours, as in all bodies: whole ones that a double would round are refused. */
function exactly(value: unknown): Read {
  const isRounded = markNumbers(value) !== value;
  return isRounded
    ? { problem: 'It has a whole number that no 64-bit floating-point number has. Write it as text' }
    : { value };
}

function valueOfYaml(text: string): Read {
  const all = parseAllDocuments(text, { logLevel: 'silent', intAsBigInt: mayBeInexact(text) });
  if ('empty' in all) return { value: null };
  const [document, ...others] = all;
  const problem = all.flatMap(({ errors, warnings }) => [...errors, ...warnings])[0];
  if (problem) return { problem: problem.message };
  if (others.length > 0) {
    return {
      problem: `It holds ${all.length} documents, divided by "---". Send one document with all lists`,
    };
  }
  try {
    const value: unknown = document?.toJS();
    return mayBeInexact(text) ? exactly(unmarkNumbers(markNumbers(value))) : { value };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

export const writeYaml = (value: unknown): string => stringify(value, { lineWidth: 0 });
