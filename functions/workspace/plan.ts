import type { PlannedChange } from '../../shared/domain/workspace/plan.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { countResponseBytes } from '../../shared/platform/http/responses/body-sizes.ts';
import { workspacePlanner } from './planner.ts';
import { PlanBody, PlanResponse } from './schemas.ts';

export const planWorkspace = defineEndpoint({
  id: 'workspace.plan',
  method: 'POST',
  path: '/v1/workspace/plan',
  noIdempotencyKey: 'It changes nothing',
  permission: ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ', 'MODELS:READ', 'PRODUCTS:READ', 'BUDGETS:READ'],
  summary: 'Plan what a document changes',
  description: `Compares a document with what is stored, and writes nothing. A resource of the document is described completely: a member that it leaves out has its default. Resources match by their names, so that another name is another resource. Lists that the document does not have are not compared.

\`errors\` is what POST /v1/workspace/apply would refuse; \`planHash\` makes it refuse what this plan does not show. \`notes\` says what a document cannot contain. It takes the READ of each kind in the document, and of each that it refers to by a name.`,
  body: PlanBody,
  response: { kind: 'json', bodies: { 200: PlanResponse } },
  errors: [400],
  needs: { plan: workspacePlanner },

  async handle({ body, principal: { permissions }, signal }, { plan }) {
    const { changes, errors, notes, planHash } = await plan(body, { permissions, signal });
    return { changes: withinBytes(changes, notes), errors: errors.slice(0, errorsMax), notes, planHash };
  },
});

const errorsMax = 100;
const diffBytesMax = 3_000_000;

/** Leaves out the diffs for which the response has no room, and notes that. */
function withinBytes(changes: readonly PlannedChange[], notes: string[]): PlannedChange[] {
  let left = diffBytesMax;
  return changes.map((change) => {
    left -= countResponseBytes(change.diff);
    if (left >= 0) return change;
    notes.push(`The diff of ${change.kind} "${change.name}" is left out: diffs have at most 3 MB together`);
    return { ...change, diff: [] };
  });
}

export const handler = toLambda(planWorkspace);
