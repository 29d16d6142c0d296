import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { useAction, useCall } from '../../api/queries.ts';
import { flowTexts } from '../../texts/flows.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { VirtualTable } from '../../ui/tables/virtual-table.tsx';
import { Time } from '../../ui/values/time.tsx';
import { FlowPage, useFlow } from './flow-page.tsx';
import { FlowVersionDifference } from './version-difference.tsx';
import '../../style/runs.css';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { notify } from '../../ui/notices.tsx';

type Listed = OperationResponse<'flow-versions.list'>;
type Version = Listed['versions'][number];

/** The draft and what was published: publish, go back, compare. */
export function FlowVersions() {
  const { id: flowId } = useFlow();
  const [before, setBefore] = useState<string>();
  const versions = useCall('flow-versions.list', {
    params: { flowId },
    query: before ? { before } : {},
  });
  return (
    <FlowPage>
      <Loaded of={versions}>
        {(listed) =>
          listed.versions.length === 0 ? (
            <Empty title={sharedTexts.noVersionsYet}>
              <p>{flowTexts.savingMakesDraft}</p>
            </Empty>
          ) : (
            <div className="stack">
              <Versions key={before} listed={listed} />
              <div className="actions">
                {before && <Button onPress={() => setBefore(undefined)}>{sharedTexts.newest}</Button>}
                {listed.hasMore && (
                  <Button onPress={() => setBefore(listed.versions.at(-1)?.id)}>{sharedTexts.older}</Button>
                )}
              </div>
            </div>
          )
        }
      </Loaded>
    </FlowPage>
  );
}

function Versions({ listed: { flowId, versions, publishedVersionId } }: { listed: Listed }) {
  const [compared, setCompared] = useState<{ from: string; to: string }>();
  const nameOf = ({ id, versionNumber }: Version) =>
    id === publishedVersionId ? flowTexts.publishedNumber(versionNumber) : String(versionNumber);
  /** With the published version; that one, with the version before it. */
  const compare = ({ id }: Version, index: number) => {
    const other = id === publishedVersionId ? undefined : publishedVersionId;
    setCompared({ from: other ?? versions[index + 1]?.id ?? id, to: id });
  };
  return (
    <>
      {compared && (
        <FlowVersionDifference
          {...compared}
          flowId={flowId}
          versions={optionsOf(versions, publishedVersionId, nameOf)}
          onChange={setCompared}
        />
      )}
      <VirtualTable
        label={sharedTexts.versions}
        rows={versions}
        keyOf={({ id }) => id}
        copyId={sharedTexts.copyVersionId}
        columns={[
          { title: sharedTexts.version, cell: ({ versionNumber }) => versionNumber },
          {
            title: sharedTexts.status,
            cell: (version) => <StatusLabel of={statusOf(version, publishedVersionId)} />,
          },
          { title: sharedTexts.steps, cell: ({ stepSummary }) => <bdi>{stepSummary}</bdi>, isExtra: true },
          { title: sharedTexts.created, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
          {
            title: sharedTexts.actions,
            width: 'wide',
            cell: (version) => (
              <span className="actions">
                {version.id !== publishedVersionId && <PublishVersion flowId={flowId} version={version} />}
                <Button
                  look="quiet"
                  aria-label={sharedTexts.compareVersion(version.versionNumber)}
                  onPress={() => compare(version, versions.indexOf(version))}
                >
                  {sharedTexts.compare}
                </Button>
              </span>
            ),
          },
        ]}
      />
    </>
  );
}

/** The published version can be one of another page. */
function optionsOf(
  versions: readonly Version[],
  publishedId: string | null,
  nameOf: (version: Version) => string,
) {
  const options = versions.map((version) => ({
    value: version.id,
    label: flowTexts.version(nameOf(version)),
  }));
  const isListed = !publishedId || versions.some(({ id }) => id === publishedId);
  return isListed ? options : [...options, { value: publishedId, label: sharedTexts.publishedVersion }];
}

const statusOf = ({ id, versionType }: Version, publishedId: string | null) =>
  id === publishedId ? 'published' : versionType === 'draft' ? 'draft' : 'earlier';

/** Puts a version to use: the draft, or an earlier one. */
function PublishVersion({ flowId, version }: { flowId: string; version: Version }) {
  const { id: versionId, versionNumber, versionType } = version;
  const publish = useAction('flow-versions.publish', {
    changes: ['flows', 'flow-versions'],
    onSuccess: () => notify(flowTexts.newRunsUseThisVersion),
  });
  const verb = versionType === 'draft' ? sharedTexts.publish : sharedTexts.goBack;
  return (
    <ConfirmButton
      look="quiet"
      title={
        versionType === 'draft' ? sharedTexts.publishTheDraft : sharedTexts.goBackToVersion(versionNumber)
      }
      question={flowTexts.publishQuestion}
      confirm={verb}
      action={() => publish.mutateAsync({ params: { flowId }, body: { versionId } })}
    >
      {verb}
    </ConfirmButton>
  );
}
