import { loadEachOnce } from '../../../core/concurrency/load-once.ts';
import { ifMissing } from '../../../core/errors/errors.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { flowFinder, type LoadedFlow } from '../flow-store.ts';
import type { FlowStep } from '../steps/step.ts';
import { versionFinder } from '../version-store.ts';
import type { FlowTarget } from './flow-targets.ts';

/** Flows and their versions. A draft may be one that is not saved yet. */
export interface FlowReader {
  flow: (id: string) => Promise<Pick<LoadedFlow, 'name' | 'steps' | 'publishedVersionId'> | undefined>;
  version: (target: FlowTarget) => Promise<{ type: string; steps: FlowStep[] } | undefined>;
}

/** Reads each stored flow and each version once. */
export function createFlowReader(scope: Scope): FlowReader {
  const [flows, versions] = [flowFinder(scope), versionFinder(scope)];
  return {
    flow: loadEachOnce((id: string) => flows.get(id).catch(ifMissing(undefined))),
    version: loadEachOnce(
      ({ flowId, version }: FlowTarget) => versions.immutable(flowId, version).catch(ifMissing(undefined)),
      ({ flowId, version }) => `${flowId} ${version}`,
    ),
  };
}
