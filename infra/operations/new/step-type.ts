import { stepTypeNames } from '../../../shared/domain/flows/step-types/index.ts';
import { OperationError } from '../deployment/operation.ts';
import { camelCase, checkName, edits, words } from './edits.ts';

/** The type behind whose lines those of the new one stand. */
const neighbour = 'template';

/**
 * Adds a type of step that renders a text and counts its characters.
 * @returns the paths of the files.
 */
export function newStepType(type: string): string[] {
  checkName('a step type', type);
  if ((stepTypeNames as readonly string[]).includes(type))
    throw new OperationError(`There is a step type ${type} already. Choose another name.`);
  const name = camelCase(type);
  const { create, insertAfter, write } = edits();
  create(`shared/domain/flows/step-types/${type}.ts`, declarationOf(type, name));
  create(`shared/execution/steps/${type}.ts`, runnerOf(type, name));
  create(`test/shared/execution/steps/${type}.test.ts`, testOf(type));

  const entryLine = new RegExp(`^ *'?${neighbour}'?(?:: .*)?,$`);
  const declarations = 'shared/domain/flows/step-types/index.ts';
  insertAfter(declarations, /^import /, `import { ${name}Step } from './${type}.ts';`);
  insertAfter(declarations, entryLine, `  '${type}': ${name}Step,`);
  const runners = 'shared/execution/steps/index.ts';
  insertAfter(runners, /^import /, `import { ${name}Runner } from './${type}.ts';`);
  insertAfter(
    runners,
    entryLine,
    name === type ? `  ${name}: ${name}Runner,` : `  '${type}': ${name}Runner,`,
  );
  insertAfter('test/shared/execution/engine/any-step.ts', entryLine, `  '${type}': config({ text }),`);
  insertAfter('test/functions/dispatch/permissions.test.ts', entryLine, `  '${type}': null,`);
  insertAfter(
    'console/src/screens/flows/steps/step-types.ts',
    entryLine,
    `      '${type}': '${sentence(type)}',`,
  );
  return write();
}

const sentence = (type: string) => words(type).replace(/^./, (letter) => letter.toUpperCase());

const declarationOf = (type: string, name: string) => `import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const ${name}Step = defineStepType({
  type: '${type}',
  summary: 'Render a text and count its characters',
  config: z.strictObject({ text: Template.min(1), ...commonConfig }),
  output: z.object({ text: z.string(), characters: z.int() }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
`;

const runnerOf = (
  type: string,
  name: string,
) => `import { ${name}Step } from '../../domain/flows/step-types/${type}.ts';
import { defineFreeRunner } from '../step-support/step-runner.ts';

export const ${name}Runner = defineFreeRunner(${name}Step, {
  async run({ config, render }) {
    const text = await render(config.text);
    return { output: { text, characters: [...text].length } };
  },
});
`;

const testOf = (type: string) => `import { expect, test } from 'vitest';
import { configProblems, runStep } from './run-step.ts';

test('renders the text and counts its characters', async () => {
  const { output } = await runStep('${type}', { text: 'Hello {{ who }}' }, { variables: { who: 'Zoë 🙂' } });
  expect(output).toEqual({ text: 'Hello Zoë 🙂', characters: 11 });
});

test.each([
  [{}, 'text: Invalid input: expected string, received undefined'],
  [{ text: '{{ a' }, expect.stringMatching(/^text: /)],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('${type}', config)).toEqual([problem]);
});
`;
