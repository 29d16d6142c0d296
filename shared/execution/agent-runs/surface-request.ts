import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import type { RunRequest } from './start-run.ts';

type SurfaceRequest = Pick<RunRequest, 'inputs' | 'messages' | 'permissions' | 'surfaceType' | 'surface'>;

/** What a call of a surface asks an agent: its parameter `message`, or else all parameters as JSON. */
export function surfaceRequest(surface: RunSurface, parameters: Record<string, unknown>): SurfaceRequest {
  const { message, ...inputs } = parameters;
  const content = typeof message === 'string' ? message : JSON.stringify(parameters);
  return {
    inputs,
    permissions: [],
    surfaceType: surface.type,
    surface,
    messages: [{ role: 'user', content }],
  };
}
