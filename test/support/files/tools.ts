import { expectStatus } from '../flows/flows.ts';
import type { Tenant } from '../stack/stack.ts';

export const definition = {
  toolType: 'custom',
  name: 'Double',
  description: 'Doubles a number',
  parametersSchema: { type: 'object', properties: { n: { type: 'number' } } },
  config: { code: 'return input.n === undefined ? null : input.n * 2' },
};

/** A tool made through the API: one that doubles a number, with changes. */
export const createTool = ({ call }: Pick<Tenant, 'call'>, changes: object = {}) =>
  expectStatus(200, call('POST', '/v1/tools', { body: { ...definition, ...changes } }));
