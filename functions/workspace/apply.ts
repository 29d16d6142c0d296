import { conflict, invalid } from '../../shared/core/errors/errors.ts';
import { applyChanges } from '../../shared/domain/workspace/apply.ts';
import { soleApply } from '../../shared/domain/workspace/apply-lease.ts';
import { documentKinds } from '../../shared/domain/workspace/kinds/index.ts';
import type { PlannedChange } from '../../shared/domain/workspace/plan.ts';
import type { CallEndpoint } from '../../shared/domain/workspace/write-node.ts';
import { listWrittenNodes } from '../../shared/domain/workspace/writer.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { type Principal, requireAll } from '../../shared/platform/identity/principal.ts';
import { operationCaller } from './operations.ts';
import { workspacePlanner } from './planner.ts';
import { ApplyBody, ApplyResponse, requireKinds } from './schemas.ts';
import { writers, writingEndpoints } from './writers.ts';

export const applyWorkspace = defineEndpoint({
  id: 'workspace.apply',
  method: 'POST',
  path: '/v1/workspace/apply',
  deletes: true,
  permission: [
    'FLOWS:WRITE',
    'AGENTS:WRITE',
    'TOOLS:WRITE',
    'MODELS:WRITE',
    'PRODUCTS:WRITE',
    'BUDGETS:WRITE',
  ],
  summary: 'Apply a document',
  description: `Creates and changes what POST /v1/workspace/plan shows, in the order of references, through the operations of each kind. It saves drafts; \`publish\` publishes them.

All references and bodies are checked first, with the workspace as it would be afterwards, and one error changes nothing. It is no transaction: what an operation refuses only when it runs (a limit of credentials, a concurrent change), a crash, or 503 for want of time leaves what was written before. Send it again, without \`planHash\`, to apply the rest. One document is applied at a time: 409 while another one is, or for some seconds after one crashed. \`prune\` deletes last, in the reverse order of references.

\`secrets\` are those that the service made for webhooks of surfaces and budgets, which only this response shows.

It takes the READ of each kind in the document and of each that it refers to by a name, the WRITE of each that changes (403 names it), and what these operations take, such as FLOWS:EXECUTE for schedules.`,
  body: ApplyBody,
  response: { kind: 'json', bodies: { 200: ApplyResponse } },
  shownOnce: ['secrets.*.value'],
  errors: [400, 404, 409, 503],
  needs: { plan: workspacePlanner, operations: operationCaller(writingEndpoints), alone: soleApply },

  handle: ({ body: { planHash, ...body }, principal, signal, baseUrl, timeLeftMs }, needs) =>
    // What is planned must still be so when it is written.
    needs.alone(async (lost) => {
      const { permissions } = principal;
      const {
        changes,
        errors,
        notes,
        planHash: current,
        book,
      } = await needs.plan(body, { permissions, signal });
      if (planHash !== undefined && planHash !== current) throw conflict(outOfDate);
      if (errors.length > 0) throw invalid(errors);
      requireWriting(principal, changes);
      const call = needs.operations({ principal, signal: AbortSignal.any([signal, lost]), baseUrl });
      const callOwn: CallEndpoint = (...request) => {
        lost.throwIfAborted();
        return call(...request);
      };
      const applying = { writers, book, call: callOwn, timeLeftMs, publish: body.publish };
      return { changes, notes, secrets: await applyChanges(changes, applying) };
    }),
});

/** @throws 403 */
function requireWriting(principal: Principal, changes: readonly PlannedChange[]): void {
  const changing = changes.filter(({ action }) => action !== 'none').map(({ kind }) => kind);
  requireKinds(principal.permissions, changing, 'WRITE');
  const written = changes.flatMap(({ kind, node }) =>
    listWrittenNodes(documentKinds[kind], writers[kind], node),
  );
  requireAll(
    principal,
    written.flatMap(({ writer: { alsoTakes = [] } }) => alsoTakes),
  );
}

const outOfDate = {
  path: 'planHash',
  code: 'CONFLICT',
  message: 'The workspace changed since the plan was made. Make a new plan',
} as const;

export const handler = toLambda(applyWorkspace);
