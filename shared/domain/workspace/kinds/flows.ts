import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { flowFinder } from '../../flows/flow-store.ts';
import { mapHeldLists } from '../../flows/steps/held-lists.ts';
import type { ResourceMembers, StoredResource, WorkspaceKind } from './kind.ts';
import { mapStepReferences } from './places.ts';
import { readAll } from './read-all.ts';

const generatedId = /^step_[0-7][0-9a-hjkmnp-tv-z]{25}$/;

export const flowsKind: WorkspaceKind = {
  group: 'FLOWS',
  noun: 'flow',
  nameMember: 'name',
  getName: ({ name }) => String(name),
  defaults: { description: null, flowSteps: [] },
  tidy: ({ steps, ...content }) => {
    const flowSteps = content.flowSteps ?? steps;
    return { ...content, ...(Array.isArray(flowSteps) && { flowSteps: tidySteps(flowSteps) }) };
  },
  references: mapStepReferences,
  read: /* @__PURE__ */ using([flowFinder], (scope: Scope) => {
    const flows = flowFinder(scope);
    return (room) =>
      readAll(
        async (query) => {
          const { rows, pagination } = await flows.list(query);
          return { ids: rows.map(({ id }) => String(id)), nextCursor: pagination.nextCursor };
        },
        async (id): Promise<StoredResource> => {
          const { name, description, steps, draft } = await flows.get(id);
          return { id, content: { name, description, flowSteps: steps }, isUnpublished: draft !== null };
        },
        room,
      );
  }),
};

/** In their order, without it, without ids that the service made, and without what is the default. */
const tidySteps = (steps: readonly unknown[]): unknown[] =>
  steps
    .map((step, index) => ({
      step: step as ResourceMembers,
      order: Number((step as ResourceMembers).order ?? index),
    }))
    .sort((one, other) => one.order - other.order)
    .map(({ step: { id, order: _order, enabled, config, ...step } }) => ({
      ...(id !== undefined && !generatedId.test(String(id)) && { id }),
      ...step,
      ...(enabled === false && { enabled }),
      config: mapHeldLists((config ?? {}) as ResourceMembers, tidySteps),
    }));
