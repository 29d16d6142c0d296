import type { Dispatch } from 'react';
import { useCall } from '../../../api/queries.ts';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { Link } from '../../../ui/link.tsx';
import { explained } from '../../../ui/loading/failure-text.ts';
import { HeadActions } from '../../../ui/page.tsx';
import { useMedia } from '../../../ui/use-media.ts';
import type { StepsEdit } from './edits.ts';
import type { Findings } from './findings.ts';
import type { FlowFindings, useFindings } from './use-findings.ts';
import type { Flow, useFlowSaving } from './use-flow-saving.tsx';

const views = [
  { value: 'list', label: editorTexts.list },
  { value: 'graph', label: editorTexts.graph },
] as const;

type StepsView = (typeof views)[number]['value'];

interface Props {
  flow: Flow;
  isChanged: boolean;
  saving: ReturnType<typeof useFlowSaving>;
  check: ReturnType<typeof useFindings>;
  edit: Dispatch<StepsEdit>;
  canUndo: boolean;
  canRedo: boolean;
  view: StepsView;
  setView: (view: StepsView) => void;
}

/** What one does with the steps as a whole: in the head of the page, or on a phone below it. */
export function EditorBar({ flow, isChanged, saving, check, edit, canUndo, canRedo, view, setView }: Props) {
  const isWide = useMedia('(width >= 1000px)');
  const bar = (
    <div className="row flows-bar">
      <VersionLink flowId={flow.id} />
      <CheckSummary {...check} />
      <Segments label={editorTexts.viewOfSteps} value={view} options={views} onChange={setView} />
      <Button look="quiet" isDisabled={!canUndo} onPress={() => edit({ type: 'undo' })}>
        {sharedTexts.undo}
      </Button>
      <Button look="quiet" isDisabled={!canRedo} onPress={() => edit({ type: 'redo' })}>
        {editorTexts.redo}
      </Button>
      <Button isPending={saving.isPending} onPress={() => saving.publish(isChanged)}>
        {isChanged ? editorTexts.saveAndPublish : sharedTexts.publish}
      </Button>
      <Button look="primary" isDisabled={!isChanged} isPending={saving.isPending} onPress={saving.save}>
        {sharedTexts.save}
      </Button>
    </div>
  );
  return isWide ? <HeadActions>{bar}</HeadActions> : bar;
}

/** Which version callers get, and the way to the others. */
function VersionLink({ flowId }: { flowId: string }) {
  const listed = useCall('flow-versions.list', { params: { flowId }, query: {} }).data;
  if (!listed) return null;
  const published = listed.versions.find(({ id }) => id === listed.publishedVersionId);
  return (
    <Link to={`/flows/${flowId}/versions`} className="help">
      {published
        ? editorTexts.publishedVersion(published.versionNumber)
        : listed.publishedVersionId
          ? editorTexts.olderVersionIsPublished
          : editorTexts.notPublished}
    </Link>
  );
}

/** How many findings the steps have, as far as that is known. */
const CheckSummary = ({ findings, isChecking, error, retry }: FlowFindings) => (
  <>
    <span role="status" className="help">
      {isChecking
        ? editorTexts.checking
        : error
          ? editorTexts.notChecked(explained(error).title)
          : summaryOf(findings)}
    </span>
    {error && (
      <Button look="quiet" isPending={isChecking} onPress={retry}>
        {editorTexts.checkAgain}
      </Button>
    )}
  </>
);

function summaryOf({ errors, warnings }: Findings): string {
  if (errors + warnings === 0) return editorTexts.noIssues;
  const words = [errors > 0 && editorTexts.errors(errors), warnings > 0 && editorTexts.warnings(warnings)];
  return words.filter(Boolean).join(', ');
}
