import { schemaProblems } from '../../adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { type ErrorDetail, invalid } from '../../core/errors/errors.ts';
import { iterateTexts } from '../../core/json/json-texts.ts';
import { hasSecretReference } from '../../core/secret-references.ts';
import {
  type ConfigText,
  findSyntaxProblems,
  isFlowText,
  listConfigTexts,
} from '../flows/steps/config-texts.ts';
import { secretKeysOfTool } from './secret-keys.ts';
import type { Tool } from './tool.ts';
import { isHostFixed } from './tool-types/request-config.ts';
import { findRuntimeType } from './tool-types/runtime-types.ts';
import type { ToolType } from './tool-types/tool-type.ts';

/** Of the JSON of a config, so that a tool fits an item of the table. */
const configCharactersMax = 120_000;
/** The transaction that saves the tool writes one item per secret. */
const secretsMax = 40;

/** A stored tool, or one that the config of an agent defines. */
export type CheckedTool = Pick<Tool, 'config' | 'parametersSchema'> & { toolType: string };

function getType({ toolType }: CheckedTool): ToolType {
  const type = findRuntimeType(toolType);
  if (!type) throw new Error(`Unknown tool type ${toolType}`);
  return type;
}

export const listToolTexts = (tool: CheckedTool): ConfigText[] =>
  listConfigTexts(getType(tool).config, tool.config);

/** @throws ServiceError 400 that lists all problems. */
export async function checkTool(tool: CheckedTool, sandbox: Sandbox): Promise<void> {
  const problems = await findToolProblems(tool, sandbox);
  if (problems.length > 0) throw invalid(problems);
}

/** What the schema of the config does not check: syntax, secrets, and the schema of the arguments. */
export async function findToolProblems(tool: CheckedTool, sandbox: Sandbox): Promise<ErrorDetail[]> {
  const texts = listToolTexts(tool);
  return [
    ...findSizeProblems(tool),
    ...findSecretProblems(tool, texts),
    ...(await findSyntaxProblems(texts.filter(isFlowText), sandbox)),
    ...(await findParametersProblems(tool.parametersSchema, ['parametersSchema'], sandbox)),
  ];
}

function findSizeProblems({ config }: CheckedTool): ErrorDetail[] {
  if (JSON.stringify(config).length <= configCharactersMax) return [];
  const message = `The config of a tool has at most ${configCharactersMax} characters of JSON`;
  return [{ path: 'config', code: 'TOO_LARGE', message }];
}

function findSecretProblems(tool: CheckedTool, texts: readonly ConfigText[]): ErrorDetail[] {
  const named = [...iterateTexts(tool.config, ['config'])].filter(({ text }) => hasSecretReference(text));
  const filled = new Set(texts.map(({ path }) => path.join('.')));
  const { takesSecrets } = getType(tool);
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

/** Why a schema cannot describe the arguments of a tool. */
export async function findParametersProblems(
  schema: JsonSchema | null | undefined,
  path: PropertyKey[],
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  if (!schema) return [];
  const problems = await schemaProblems(sandbox, schema);
  const isObject = schema.type === undefined || schema.type === 'object';
  const typeProblems = isObject
    ? []
    : [{ path: 'type', message: 'Expected "object": arguments are passed by name' }];
  return [...typeProblems, ...problems].map(({ path: at, message }) => ({
    path: [...path, at].filter((part) => part !== '').join('.'),
    code: 'INVALID_SCHEMA',
    message,
  }));
}
