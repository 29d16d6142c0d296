import * as z from 'zod';
import { nameUpTo } from '../../shared/core/name.ts';
import {
  getSurfaceType,
  surfaceEnvironments,
  surfaceStatuses,
  surfaceTypeNames,
} from '../../shared/domain/surfaces/surface/surface.ts';
import { Inbound, Outbound } from '../../shared/domain/surfaces/surface/surface-bodies.ts';

const SurfaceName = nameUpTo(255);
const Members = z.record(z.string(), z.unknown());

const optionalFields = {
  environment: z.enum(surfaceEnvironments).optional().meta({
    description: 'A label for people: which flow version runs depends on the key. Default: development',
  }),
  status: z.enum(surfaceStatuses).optional().meta({
    description:
      'An active surface responds. A draft responds to test keys only, a paused one to nobody. Default: draft',
  }),
  behavior: Members.optional().meta({
    description:
      'Of an mcp surface: `resources.recordTypes` names the types of records (at most 20) that its callers can read as resources. Default: none. Of an a2a surface: `cardSigning.secret` references the secret (`{{secret:KEY}}`) with the private JSON Web Key that signs its agent card: EC (P-256, P-384, P-521), Ed25519, or RSA. Default: no signature. `approvals: true` lets its callers decide the calls of tools that need an approval; by default the tenant decides, and the task of the caller is working meanwhile. Other members are stored as they are',
  }),
  config: Members.optional().meta({ description: 'An alias of `behavior`, which wins if both are sent' }),
  inbound: Inbound.optional(),
  outbound: Outbound.optional(),
};

const types = surfaceTypeNames.flatMap((name) => {
  const { summary } = getSurfaceType(name);
  return summary ? [`\`${name}\`: ${summary}`] : [];
});

export const CreateSurfaceBody = z
  .strictObject({
    name: SurfaceName,
    type: z.enum(surfaceTypeNames).meta({
      description: `${types.join('. ')}. Surfaces of the other types can be stored and configured; nothing responds there.`,
    }),
    ...optionalFields,
  })
  .meta({ examples: [{ name: 'Public API', type: 'api', status: 'active' }] });

export const UpdateSurfaceBody = z
  .strictObject({ name: SurfaceName.optional(), ...optionalFields })
  .meta({ examples: [{ status: 'paused' }] });

/** What the store takes: without the alias. */
export const toSurfaceChanges = <B extends z.output<typeof UpdateSurfaceBody>>({ config, ...body }: B) => ({
  ...body,
  behavior: body.behavior ?? config,
});
