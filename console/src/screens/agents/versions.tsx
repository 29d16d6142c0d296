import { useState } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { agentTexts } from '../../texts/agents.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { JsonDifference } from '../../ui/values/difference.tsx';
import { Time } from '../../ui/values/time.tsx';
import { AgentPage, useAgent } from './parts/agent-page.tsx';

/** The draft and what was published: publish, go back, compare. */
export function AgentVersions() {
  const { id } = useAgent();
  const [before, setBefore] = useState<string>();
  const [compared, setCompared] = useState<string>();
  const params = { agentId: id };
  const versions = useCall('agent-versions.list', { params, query: before ? { before } : {} });
  const publish = useAction('agent-versions.publish', {
    changes: ['agents', 'agent-versions'],
    onSuccess: () => notify(agentTexts.callersGetThisVersion),
  });
  return (
    <AgentPage>
      <Loaded of={versions}>
        {({ versions: listed, publishedVersionId, hasMore }) => (
          <div className="stack">
            {listed.length === 0 ? (
              <Empty title={sharedTexts.noVersionsYet}>
                <p>{agentTexts.savingMakesDraft}</p>
              </Empty>
            ) : (
              <Table
                label={sharedTexts.versions}
                rows={listed}
                keyOf={(version) => version.id}
                copyId={sharedTexts.copyVersionId}
                columns={[
                  { title: sharedTexts.version, cell: ({ versionNumber }) => versionNumber },
                  {
                    title: sharedTexts.status,
                    cell: (version) => <StatusLabel of={statusOf(version, publishedVersionId)} />,
                  },
                  {
                    title: agentTexts.content,
                    cell: ({ configSummary }) => <bdi>{configSummary}</bdi>,
                    isExtra: true,
                  },
                  {
                    title: sharedTexts.created,
                    cell: ({ createdAt }) => <Time at={createdAt} />,
                    isExtra: true,
                  },
                  {
                    title: sharedTexts.actions,
                    width: 'wide',
                    cell: ({ id: versionId, versionNumber, versionType }) =>
                      versionId !== publishedVersionId && (
                        <span className="actions">
                          <ConfirmButton
                            look="quiet"
                            title={
                              versionType === 'draft'
                                ? sharedTexts.publishTheDraft
                                : sharedTexts.goBackToVersion(versionNumber)
                            }
                            question={agentTexts.publishQuestion}
                            confirm={versionType === 'draft' ? sharedTexts.publish : sharedTexts.goBack}
                            action={() => publish.mutateAsync({ params, body: { versionId } })}
                          >
                            {versionType === 'draft' ? sharedTexts.publish : sharedTexts.goBack}
                          </ConfirmButton>
                          {publishedVersionId && (
                            <Button
                              look="quiet"
                              aria-label={sharedTexts.compareVersion(versionNumber)}
                              onPress={() => setCompared(versionId)}
                            >
                              {sharedTexts.compare}
                            </Button>
                          )}
                        </span>
                      ),
                  },
                ]}
              />
            )}
            <div className="actions">
              {before && <Button onPress={() => setBefore(undefined)}>{sharedTexts.newest}</Button>}
              {hasMore && <Button onPress={() => setBefore(listed.at(-1)?.id)}>{sharedTexts.older}</Button>}
            </div>
            {compared && publishedVersionId && (
              <AgentVersionDifference agentId={id} published={publishedVersionId} versionId={compared} />
            )}
          </div>
        )}
      </Loaded>
    </AgentPage>
  );
}

const statusOf = ({ id, versionType }: { id: string; versionType: string }, publishedId: string | null) =>
  id === publishedId ? 'published' : versionType === 'draft' ? 'draft' : 'earlier';

interface Props {
  agentId: string;
  published: string;
  versionId: string;
}

/** What differs between the published version and another one. */
function AgentVersionDifference({ agentId, published, versionId }: Props) {
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
