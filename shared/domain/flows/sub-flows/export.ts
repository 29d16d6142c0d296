import { tooLarge } from '../../../core/errors/errors.ts';
import { toBareReferences } from '../../../core/secret-references.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import {
  countResponseBytes,
  megabytes,
  responseBytesMax,
} from '../../../platform/http/responses/body-sizes.ts';
import { flowFinder } from '../flow-store.ts';
import type { FlowStep } from '../steps/step.ts';
import { versionFinder } from '../version-store.ts';
import { listFlowTargets, loadSubFlows } from './sub-flows.ts';

/** A flow for another runtime: complete, with secrets referenced as `secret:<NAME>`. */
export type ExportedFlow = {
  id: string;
  name: string;
  description: string | null;
  steps: FlowStep[];
  /** The versions of other flows that `flow` steps run, with those that these run. Absent if there are none. */
  flows?: { id: string; name: string; versionId: string; steps: FlowStep[] }[];
};

/**
 * Exports the published version of a flow, or the draft if no version is published.
 * @throws 404; 413 if a response has no room for it and the flows that it runs
 */
export const flowExporter = /* @__PURE__ */ using([flowFinder, versionFinder], (scope: Scope) => {
  const [flows, versions] = [flowFinder(scope), versionFinder(scope)];
  const readSteps = async (id: string, versionId: string) => (await versions.immutable(id, versionId)).steps;
  return async (flowId: string): Promise<ExportedFlow> => {
    const { id, name, description, publishedVersionId } = await flows.find(flowId);
    const { steps } = publishedVersionId
      ? await versions.immutable(id, publishedVersionId)
      : await flows.get(id);
    const flow = { id, name, description, steps: nameReferences(steps) };
    if (listFlowTargets(steps).length === 0) return flow;
    const run = await loadSubFlows(scope, steps, readSteps);
    const others = run.versions.map(({ steps: held, ...version }) => ({
      ...version,
      steps: nameReferences([...held]),
    }));
    const exported = { ...flow, flows: others };
    if (countResponseBytes(exported) > responseBytesMax) throw tooLarge(tooMany);
    return exported;
  };
});

const tooMany = `The flow and those that it runs take more than ${megabytes(responseBytesMax)}; export them one by one`;

/** A copy of a JSON value with `secret:<NAME>` in place of each `{{secret:NAME}}`. */
export const nameReferences = <T>(value: T): T => mapTexts(value, toBareReferences);

/** A copy of a JSON value with each text in it changed. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  const visit = (part: unknown): unknown => {
    if (typeof part === 'string') return change(part);
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, member]) => [key, visit(member)]));
  };
  return visit(value) as T;
}
