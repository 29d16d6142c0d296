import { expect, test } from 'vitest';
import { dispatchSteps } from '../../support/flows/budgets.ts';
import { publishedFlow, template } from '../../support/flows/flows.ts';
import { jsonWebAnswer, web } from '../../support/servers/web.ts';
import { newTenant } from '../../support/stack/stack.ts';

const fails = { type: 'transform-data', name: 'fails', config: { script: 'throw new Error("No")' } };

/** Steps that fail, whatever holds them, and waits that cannot begin. */
async function failingConfigs(tenant: Awaited<ReturnType<typeof newTenant>>) {
  const { id: flowId } = await publishedFlow(tenant, [fails]);
  const { url } = await web(() => ({ ...jsonWebAnswer({ error: 'No' }), status: 400 }));
  return {
    parallel: {
      branches: [
        { name: 'one', steps: [fails] },
        { name: 'other', steps: [template('x')] },
      ],
    },
    map: { items: '[1, 2]', steps: [fails] },
    loop: { while: 'true', maxIterations: 2, steps: [template('x')] },
    flow: { flowId },
    approval: { question: 'Well?', assignees: { emails: ['{{ nothing }}'] } },
    'wait-for-callback': { timeoutMinutes: 5, announce: { http: { url, method: 'POST' } } },
  };
}

test('steps that hold others and steps that wait continue after a failure, or give their message', async () => {
  const tenant = await newTenant();
  for (const [type, config] of Object.entries(await failingConfigs(tenant))) {
    const run = async (errorHandling?: object) => {
      const step = { type, name: 'step', config: { ...config, outputVariable: 'out', errorHandling } };
      const { status, body } = await dispatchSteps(tenant, [step, template('after {{ out }}')]);
      return { type, status, success: body.success, output: body.output };
    };
    expect(await run()).toMatchObject({ type, success: false });
    expect(await run({ onError: 'continue' })).toEqual({
      type,
      status: 200,
      success: true,
      output: 'after ',
    });
    const fallbacks = [{ type: 'retry' }, { type: 'message', message: 'instead' }];
    const replaced = await run({ onError: 'fallback', fallbacks });
    expect(replaced).toEqual({ type, status: 200, success: true, output: 'after instead' });
  }
});
