import { expect, test, vi } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { type CodeMode, runCodeTool } from '../../../../shared/execution/agent-runs/run-code.ts';
import { ArgumentsError } from '../../../../shared/execution/tools/call-tool.ts';
import { called, fakeTool } from '../../../support/files/runnable-tools.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const { signal } = new AbortController();
const tool = (name: string) =>
  fakeTool({
    id: `tool:${name}`,
    name,
    description: `Does */ ${name}\nwell`,
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  });
const codeTool = (call: CodeMode['call'], more: Partial<CodeMode> = {}) =>
  runCodeTool({
    ports: { sandbox: testSandbox },
    config: {},
    tools: [tool('double'), tool('send-mail')],
    callsMax: 5,
    call,
    ...more,
  });
const double: CodeMode['call'] = async (_tool, args) => 2 * (args as { n: number }).n;

test('the code calls the tools of the pool through the run, and its value is the result', async () => {
  const call = vi.fn(double);
  const code =
    'console.log("go"); return (await tools.double({ n: 4 })) + (await tools["send-mail"]({ n: 1 }))';
  expect(await called(codeTool(call), { code }, signal)).toEqual({ output: { result: 10, console: 'go' } });
  expect(call.mock.calls.map(([{ id }, args]) => [id, args])).toEqual([
    ['tool:double', { n: 4 }],
    ['tool:send-mail', { n: 1 }],
  ]);
  expect(await called(codeTool(call), { code: '1 + 1' }, signal)).toEqual({ output: { result: 2 } });
});

test('a refusal of the run is an error that the code sees', async () => {
  const call: CodeMode['call'] = async () => {
    throw new StepError('The limit of 10 tool calls is reached');
  };
  const code = 'try { await tools.double({ n: 1 }) } catch (error) { return error.message }';
  expect(await called(codeTool(call), { code }, signal)).toEqual({
    output: { result: 'The limit of 10 tool calls is reached' },
  });
});

test('code that fails is a failed call, with what it wrote', async () => {
  const failure = await stepFailure(
    called(codeTool(double), { code: 'console.log("seen"); null.x' }, signal),
  );
  expect(failure.message).toMatch(
    /^The tool run_code failed: The code failed: TypeError: [\s\S]*Console:\nseen$/,
  );
  const many = 'for (let n = 0; n < 9; n++) await tools.double({ n })';
  expect((await stepFailure(called(codeTool(double), { code: many }, signal))).message).toContain(
    '5 tool calls',
  );
});

test('arguments that do not fit are rejected', async () => {
  for (const args of [{}, { code: '' }, { code: 'x'.repeat(50_001) }, { code: '1', more: 1 }]) {
    expect(await stepFailure(called(codeTool(double), args, signal))).toBeInstanceOf(ArgumentsError);
  }
});

test('the model sees the tools as TypeScript, and the limits', () => {
  const { description, parameters, repeatable } = codeTool(double, { config: { timeoutMs: 5_000 } });
  const { code } = parameters.properties as { code: { description: string } };
  expect(code.description).toContain(
    '/** Does * / double well */\n  double(args: { n: number }): Promise<any>;',
  );
  expect(code.description).toContain('"send-mail"(args: { n: number }): Promise<any>;');
  expect(code.description).toContain('Limits: 5 seconds, 5 tool calls');
  expect(description.length).toBeLessThanOrEqual(1_024);
  expect(repeatable).toBeFalsy();
  const own = codeTool(double, { config: { description: 'y'.repeat(4_000) } });
  expect(own.description).toBe('y'.repeat(1_024));
});
