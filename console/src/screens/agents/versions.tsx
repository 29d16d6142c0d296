import { useState } from 'react';
import { useAction, useCall } from '../../api/queries.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { Difference } from '../../ui/values/difference.tsx';
import { Time } from '../../ui/values/time.tsx';
import { AgentPage, useAgent } from './agent-page.tsx';

/** The draft and what was published: publish, go back, compare. */
export function AgentVersions() {
  const { id } = useAgent();
  const [before, setBefore] = useState<string>();
  const [compared, setCompared] = useState<string>();
  const params = { agentId: id };
  const versions = useCall('GET /v1/agent-versions/{agentId}', { params, query: before ? { before } : {} });
  const publish = useAction('POST /v1/agent-versions/{agentId}/publish', {
    changes: ['agents', 'agent-versions'],
    onSuccess: () => notify('Callers get this version'),
  });
  return (
    <AgentPage>
      <Loaded of={versions}>
        {({ versions: listed, publishedVersionId, hasMore }) => (
          <div className="stack">
            {listed.length === 0 ? (
              <Empty title="No versions yet">
                <p>Saving the agent makes a draft, which you publish here.</p>
              </Empty>
            ) : (
              <Table
                label="Versions"
                rows={listed}
                keyOf={(version) => version.id}
                copyId="Copy version ID"
                columns={[
                  { title: 'Version', cell: ({ versionNumber }) => versionNumber },
                  {
                    title: 'Status',
                    cell: (version) => <Status of={statusOf(version, publishedVersionId)} />,
                  },
                  {
                    title: 'Content',
                    cell: ({ configSummary }) => <bdi>{configSummary}</bdi>,
                    isExtra: true,
                  },
                  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
                  {
                    title: 'Actions',
                    width: 'wide',
                    cell: ({ id: versionId, versionNumber, versionType }) =>
                      versionId !== publishedVersionId && (
                        <span className="actions">
                          <ConfirmButton
                            look="quiet"
                            title={
                              versionType === 'draft'
                                ? 'Publish the draft?'
                                : `Go back to version ${versionNumber}?`
                            }
                            question="Callers get this version. Runs that have begun keep theirs."
                            confirm={versionType === 'draft' ? 'Publish' : 'Go back'}
                            action={() => publish.mutateAsync({ params, body: { versionId } })}
                          >
                            {versionType === 'draft' ? 'Publish' : 'Go back'}
                          </ConfirmButton>
                          {publishedVersionId && (
                            <Button
                              look="quiet"
                              aria-label={`Compare version ${versionNumber}`}
                              onPress={() => setCompared(versionId)}
                            >
                              Compare
                            </Button>
                          )}
                        </span>
                      ),
                  },
                ]}
              />
            )}
            <div className="actions">
              {before && <Button onPress={() => setBefore(undefined)}>Newest</Button>}
              {hasMore && <Button onPress={() => setBefore(listed.at(-1)?.id)}>Older</Button>}
            </div>
            {compared && publishedVersionId && (
              <Compared {...{ agentId: id, published: publishedVersionId, versionId: compared }} />
            )}
          </div>
        )}
      </Loaded>
    </AgentPage>
  );
}

const statusOf = ({ id, versionType }: { id: string; versionType: string }, publishedId: string | null) =>
  id === publishedId ? 'published' : versionType === 'draft' ? 'draft' : 'earlier';

interface ComparedProps {
  agentId: string;
  published: string;
  versionId: string;
}

function Compared({ agentId, published, versionId }: ComparedProps) {
  const from = useCall('GET /v1/agent-versions/{agentId}/{versionId}', {
    params: { agentId, versionId: published },
  });
  const to = useCall('GET /v1/agent-versions/{agentId}/{versionId}', { params: { agentId, versionId } });
  return (
    <section className="card" aria-labelledby="difference">
      <h2 id="difference">From the published version to this one</h2>
      <Loaded of={from}>
        {(before) => (
          <Loaded of={to}>
            {(after) => <Difference before={before.agentConfig} after={after.agentConfig} />}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}
