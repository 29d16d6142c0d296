import { StepError } from '../../core/errors/step-error.ts';
import { parseMemoryName } from '../../domain/memory/limits.ts';
import type { StepRun } from './step-runner.ts';

interface Config {
  profileTemplate?: string | undefined;
  sessionId?: string | undefined;
  model?: string | undefined;
}

/** The memory that a step means. @throws StepError */
export async function openNamedMemory({
  config,
  render,
  variables,
}: Pick<StepRun<Config>, 'config' | 'render' | 'variables'>) {
  const { profileTemplate, sessionId, model = 'default' } = config;
  const profile = profileTemplate === undefined ? getUser(variables) : await render(profileTemplate);
  const session = sessionId === undefined ? undefined : parseMemoryName('session', await render(sessionId));
  return { profile: parseMemoryName('profile', profile), session, model };
}

/** The profile of a run that names none: its user. */
function getUser(variables: StepRun<Config>['variables']): string {
  const { id } = (variables._user ?? {}) as { id?: unknown };
  if (typeof id === 'string') return id;
  throw new StepError('The run has no user; name the profile of the memory with profileTemplate');
}
