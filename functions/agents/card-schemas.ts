import * as z from 'zod';
import { AgentFields, agentExample } from './response-schemas.ts';

const JsonObject = z.record(z.string(), z.unknown());

/** All members are optional, and others are kept. */
export const AgentCardResponse = z
  .looseObject({
    name: z.string().optional(),
    description: z.string().optional(),
    url: z.string().optional(),
    version: z.string().optional(),
    protocolVersion: z.string().optional(),
    iconUrl: z.string().optional(),
    provider: z.looseObject({ organization: z.string().optional(), url: z.string().optional() }).optional(),
    capabilities: z
      .looseObject({
        streaming: z.boolean().optional(),
        pushNotifications: z.boolean().optional(),
        statefulness: z.enum(['none', 'task', 'session']).optional(),
      })
      .optional(),
    authentication: z
      .looseObject({
        type: z.enum(['bearer', 'api_key', 'none']).optional(),
        bearerAuth: z.looseObject({ scopes: z.array(z.string()).optional() }).optional(),
        apiKeyAuth: z.looseObject({ headerName: z.string().optional() }).optional(),
      })
      .optional(),
    skills: z
      .array(
        z.looseObject({
          id: z.string().optional(),
          name: z.string().optional(),
          description: z.string().optional(),
          inputModes: z.array(z.string()).optional(),
          outputModes: z.array(z.string()).optional(),
          inputSchema: JsonObject.optional(),
        }),
      )
      .optional(),
  })
  .meta({
    id: 'AgentCard',
    examples: [
      {
        name: 'Airport guide',
        url: 'https://agent.example.com/a2a',
        version: '1.0.0',
        protocolVersion: '1.0',
        capabilities: { streaming: true },
        skills: [{ id: 'delays', name: 'Delays', description: 'Reports delays of an airport' }],
      },
    ],
  });

/** Without the members that only other responses have. */
function refreshed<T extends Record<'healthStatus' | 'lastHealthCheckAt' | 'publishedVersionId', unknown>>(
  agent: T,
) {
  const { healthStatus: _status, lastHealthCheckAt: _at, publishedVersionId: _version, ...shown } = agent;
  return shown;
}

export const RefreshedAgentResponse = z
  .object({
    ...refreshed(AgentFields),
    changeReport: z.object({
      skillsAdded: z.array(z.string()),
      skillsRemoved: z.array(z.string()),
      rolesAutoApplied: z.array(z.string()).meta({ description: 'The ids of the skills that got a role' }),
      lastRefresh: z.iso.datetime(),
    }),
  })
  .meta({
    id: 'RefreshedAgent',
    examples: [
      {
        ...refreshed(agentExample),
        agentType: 'external',
        config: null,
        externalConfig: { endpoint: 'https://agent.example.com/a2a' },
        changeReport: {
          skillsAdded: ['delays'],
          skillsRemoved: [],
          rolesAutoApplied: ['delays'],
          lastRefresh: '2026-11-22T09:30:00.000Z',
        },
      },
    ],
  });
