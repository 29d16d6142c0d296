import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/model-port.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { type ErrorDetail, invalid } from '../../core/errors.ts';
import { textsIn } from '../../core/json-texts.ts';
import { hasSecretReference } from '../../core/secret-references.ts';
import { syntaxProblems } from '../flows/checking/text-problems.ts';
import { type ConfigText, isFlowText, textsOfConfig } from '../flows/checking/texts.ts';
import { secretKeysOfTool } from './secret-keys.ts';
import type { Tool } from './tool.ts';
import { toolTypeOf } from './tool-types/index.ts';
import { isHostFixed } from './tool-types/request-config.ts';

/** Of the JSON of a config, so that a tool fits an item of the table. */
const configCharactersMax = 120_000;
/** The transaction that saves the tool writes one item per secret. */
const secretsMax = 40;

export type CheckedTool = Pick<Tool, 'toolType' | 'config' | 'parametersSchema'>;

/** The texts of a tool's config that read arguments. */
export const textsOfTool = ({ toolType, config }: CheckedTool): ConfigText[] =>
  textsOfConfig(toolTypeOf(toolType).config, config);

/**
 * Checks what the schema of the config does not: syntax, secrets, and the schema of the arguments. @throws ServiceError
 * 400 that lists all problems.
 */
export async function checkTool(tool: CheckedTool, sandbox: Sandbox): Promise<void> {
  const texts = textsOfTool(tool);
  const problems = [
    ...sizeProblems(tool),
    ...secretProblems(tool, texts),
    ...(await syntaxProblems(texts.filter(isFlowText), sandbox)),
    ...(await problemsOfSchema(tool.parametersSchema, sandbox)),
  ];
  if (problems.length > 0) throw invalid(problems);
}

function sizeProblems({ config }: CheckedTool): ErrorDetail[] {
  if (JSON.stringify(config).length <= configCharactersMax) return [];
  const message = `The config of a tool has at most ${configCharactersMax} characters of JSON`;
  return [{ path: 'config', code: 'TOO_LARGE', message }];
}

function secretProblems(tool: CheckedTool, texts: readonly ConfigText[]): ErrorDetail[] {
  const named = [...textsIn(tool.config, ['config'])].filter(({ text }) => hasSecretReference(text));
  const filled = new Set(texts.map(({ path }) => path.join('.')));
  const { takesSecrets } = toolTypeOf(tool.toolType);
  const misplaced = named
    .map(({ path }) => path.join('.'))
    .filter((path) => !takesSecrets || !filled.has(path))
    .map((path): ErrorDetail => {
      const message = 'This member cannot use secrets';
      return { path, code: 'SECRET_NOT_ALLOWED', message };
    });
  const keys = secretKeysOfTool(tool);
  const more: ErrorDetail[] = [];
  if (keys.length > secretsMax) {
    const message = `A tool references at most ${secretsMax} secrets`;
    more.push({ path: 'config', code: 'TOO_MANY_SECRETS', message });
  }
  if (keys.length > 0 && typeof tool.config.url === 'string' && !isHostFixed(tool.config.url)) {
    const message =
      'The URL of a tool that uses secrets must begin with a literal host, so that no argument can send a secret to another server';
    more.push({ path: 'config.url', code: 'SECRET_NOT_ALLOWED', message });
  }
  return [...misplaced, ...more];
}

async function problemsOfSchema(schema: JsonSchema, sandbox: Sandbox): Promise<ErrorDetail[]> {
  const at = (path: string) => (path ? `parametersSchema.${path}` : 'parametersSchema');
  const problems = await schemaProblems(sandbox, schema);
  const isObject = schema.type === undefined || schema.type === 'object';
  const own = isObject ? [] : [{ path: 'type', message: 'Expected "object": arguments are passed by name' }];
  return [...own, ...problems].map(({ path, message }) => ({
    path: at(path),
    code: 'INVALID_SCHEMA',
    message,
  }));
}
