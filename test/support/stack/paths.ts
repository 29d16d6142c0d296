import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';

/** A path with well-formed ids that nobody has. */
export const examplePath = ({ path, params }: AnyEndpoint) =>
  path.replace(/\{(\w+)\+?\}/g, (_all, name: string) => {
    const prefix = String(params?.shape[name].meta()?.example).split('_')[0];
    return `${prefix}_${'0'.repeat(26)}`;
  });
