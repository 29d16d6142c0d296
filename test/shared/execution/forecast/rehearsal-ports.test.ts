import { expect, test } from 'vitest';
import { stepTypes } from '../../../../shared/domain/flows/step-types/index.ts';
import { rehearsalPorts } from '../../../../shared/execution/forecast/forecaster.ts';
import { loadStepRunner } from '../../../../shared/execution/steps/index.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const acting = Object.values(stepTypes).filter(({ effects }) => effects);

test.each(acting.map(({ type }) => type))(
  'a forecast can plan a %s step without performing it',
  async (type) => {
    expect(Object.keys(await loadStepRunner(type)).toSorted()).toEqual(['perform', 'plan']);
  },
);

test('the ports of a forecast reach nothing outside', async () => {
  const { tenant } = await newTenant();
  const ports = rehearsalPorts(countingRuntime().scopeOf(tenant));
  expect(() => ports.fetch({} as never)).toThrow('must not call fetch');
  expect(() => ports.embed({} as never)).toThrow('must not call embed');
  expect(() => ports.model.stream({} as never)).toThrow('must not call model.stream');
  expect(() => ports.agents.run({} as never)).toThrow('must not call agents.run');
  expect(() => ports.mcp.callTool({} as never)).toThrow('must not call mcp.callTool');
  expect(() => ports.records.find({} as never)).toThrow('must not call records.find');
});
