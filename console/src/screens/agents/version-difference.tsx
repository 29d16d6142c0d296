import { useCall } from '../../api/queries.ts';
import { agentTexts } from '../../texts/agents.ts';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { JsonDifference } from '../../ui/values/difference.tsx';

interface Props {
  agentId: string;
  published: string;
  versionId: string;
}

/** What differs between the published version and another one. */
export function AgentVersionDifference({ agentId, published, versionId }: Props) {
  const from = useCall('agent-versions.get', {
    params: { agentId, versionId: published },
  });
  const to = useCall('agent-versions.get', { params: { agentId, versionId } });
  return (
    <section className="card" aria-labelledby="difference">
      <h2 id="difference">{agentTexts.differenceFromPublished}</h2>
      <Loaded of={from}>
        {(before) => (
          <Loaded of={to}>
            {(after) => <JsonDifference before={before.agentConfig} after={after.agentConfig} />}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}
