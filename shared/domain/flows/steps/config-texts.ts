import type * as z from 'zod';
import { findTextProblemsTask } from '../../../adapters/code/tasks.ts';
import type { FlowText } from '../../../adapters/code/texts.ts';
import { type Sandbox, SandboxError } from '../../../adapters/sandbox/sandbox.ts';
import { isPlain } from '../../../adapters/templates/limits.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { iterateTexts } from '../../../core/json/json-texts.ts';
import { escapeForScript } from '../../../core/redaction/secret-forms.ts';
import { replaceInScript } from '../../../core/secret-references.ts';
import { JsonSchemaText, VariablePath } from './common-config.ts';
import { Expression, Script, Template, TemplatedJson } from './template-text.ts';

export interface ConfigText {
  kind: FlowText['kind'] | 'path' | 'schema';
  text: string;
  /** Within the step or the tool. */
  path: PropertyKey[];
}
/** False for the path of a variable, and for a JSON Schema. */
export const isFlowText = (text: ConfigText): text is ConfigText & FlowText =>
  text.kind !== 'path' && text.kind !== 'schema';
type Kind = ConfigText['kind'] | 'json';

interface Definition {
  type: string;
  checks?: unknown[];
  innerType?: z.ZodType;
  getter?: () => z.ZodType;
  in?: z.ZodType;
  out?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  valueType?: z.ZodType;
  options?: z.ZodType[];
}
const getDefinition = (schema: z.ZodType) => schema._zod.def as unknown as Definition;

// A refined schema keeps its earlier checks, so the last check of a base schema identifies it.
const kinds = new Map<unknown, Kind>(
  (
    [
      [Template, 'template'],
      [TemplatedJson, 'json'],
      [Expression, 'expression'],
      [Script, 'script'],
      [VariablePath, 'path'],
      [JsonSchemaText, 'schema'],
    ] as const
  ).map(([schema, kind]) => [getDefinition(schema).checks?.at(-1), kind]),
);
const findKind = ({ checks = [] }: Definition) =>
  checks.map((check) => kinds.get(check)).find((kind) => kind !== undefined);

/** The texts of a config that read variables, found through its schema. Their paths begin with `config`. */
export function listConfigTexts(schema: z.ZodType, config: Readonly<Record<string, unknown>>): ConfigText[] {
  return [...walkConfig(schema, config, ['config'])].map((text) =>
    text.kind === 'script' && config.language === 'typescript' ? { ...text, kind: 'typescript' } : text,
  );
}

function* walkConfig(schema: z.ZodType, value: unknown, path: PropertyKey[]): Generator<ConfigText, void> {
  const definition = getDefinition(schema);
  const kind = findKind(definition);
  if (kind === 'json') {
    for (const { text, path: inside } of iterateTexts(value)) {
      if (!isPlain(text)) yield { kind: 'template', text, path: [...path, ...inside] };
    }
  } else if (kind === 'schema') {
    if (typeof value === 'object') yield { kind, text: JSON.stringify(value), path };
  } else if (kind) {
    if (typeof value === 'string' && !(kind === 'template' && isPlain(value)))
      yield { kind, text: value, path };
  } else {
    for (const [inner, member, at] of listInside(definition, value)) {
      yield* walkConfig(inner, member, [...path, ...at]);
    }
  }
}

/** The side of a pipe that describes the input: a preprocessed schema begins with a transform. */
const pickInput = ({ in: first, out }: Definition) =>
  first && getDefinition(first).type === 'transform' ? out : first;

type Inside = [schema: z.ZodType, value: unknown, at: PropertyKey[]];

function listInside(definition: Definition, value: unknown): Inside[] {
  const { innerType, getter, options, shape, element, valueType } = definition;
  const wrapped = innerType ?? pickInput(definition) ?? getter?.();
  if (wrapped) return [[wrapped, value, []]];
  if (options) return options.map((option) => [option, value, []]);
  if (element) return Array.isArray(value) ? value.map((item, index) => [element, item, [index]]) : [];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (valueType) return Object.entries(value).map(([key, member]) => [valueType, member, [key]]);
  return Object.entries(shape ?? {}).flatMap(([key, member]): Inside[] =>
    Object.hasOwn(value, key) ? [[member, (value as Record<string, unknown>)[key], [key]]] : [],
  );
}

/** The time limit for all texts of one request. */
const timeoutMs = 5_000;

export async function findSyntaxProblems(
  texts: readonly (ConfigText & FlowText)[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  if (texts.length === 0) return [];
  const at = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const input = { texts: texts.map(toChecked), at };
  try {
    const problems = await sandbox(findTextProblemsTask, input, { timeoutMs });
    return texts.flatMap((text, index) => toDetails(text, problems[index]));
  } catch (error) {
    const culprit = texts[at[0] ?? 0];
    if (!(error instanceof SandboxError) || !culprit) throw error;
    return toDetails(culprit, 'The text is nested too deeply, or takes too long to check; simplify it');
  }
}

/** The escape sequence is valid only inside a literal, so the check also finds references outside of literals. */
const toChecked = ({ kind, text }: FlowText): FlowText => ({
  kind,
  text: kind === 'template' ? text : replaceInScript(text, () => escapeForScript('-')),
});

const toDetails = ({ kind, path }: ConfigText, message: string | undefined): ErrorDetail[] =>
  message === undefined
    ? []
    : [
        {
          path: path.map(String).join('.'),
          code: kind === 'template' ? 'INVALID_TEMPLATE' : 'INVALID_SCRIPT',
          message,
        },
      ];
