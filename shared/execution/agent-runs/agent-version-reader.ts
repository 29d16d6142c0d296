import { ServiceError } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { agentVersions } from '../../domain/agents/agent-versions.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';

type Chosen = ReturnType<ReturnType<typeof agentVersions>['toRun']>;

/** What stands for the version of an agent in a request: equal for those that do the same. @throws StepError */
export async function nameOfVersion(choice: Chosen): Promise<string> {
  const { versionId, content } = await choice.catch((error) => {
    throw error instanceof ServiceError ? new StepError(error.message) : error;
  });
  return JSON.stringify([versionId, content]);
}

/** @throws StepError if there is no such agent */
export const agentVersionReader = /* @__PURE__ */ using(
  [agentVersions],
  (scope: Scope) =>
    (id: string): Promise<string> =>
      nameOfVersion(agentVersions(scope).toRun(id, { environment: 'production' })),
);
