import { useNavigate } from '@tanstack/react-router';
import type { Dispatch } from 'react';
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover, Separator } from 'react-aria-components';
import { useCall } from '../../../api/queries.ts';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { Icon } from '../../../ui/icon.tsx';
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

/** What one does with the steps as a whole: in the head of the page, or on a phone below it, in one row. */
export function EditorBar(props: Props) {
  const isWide = useMedia('(width >= 1000px)');
  const isNarrow = useMedia('(width < 640px)');
  const { isChanged, saving, check } = props;
  const versions = useVersions(props.flow.id);
  const bar = (
    <div className={isNarrow ? 'row flows-bar narrow' : 'row flows-bar'}>
      {!isNarrow && versions && (
        <Link to={`/flows/${props.flow.id}/versions`} className="help">
          {versions.published}
        </Link>
      )}
      <CheckSummary {...check} />
      {isNarrow ? <StepsMenu {...props} version={versions?.published} /> : <StepsActions {...props} />}
      <Button
        isDisabled={!isChanged && versions?.hasDraft === false}
        isPending={saving.isPending}
        onPress={() => saving.publish(isChanged)}
      >
        {isChanged ? editorTexts.saveAndPublish : sharedTexts.publish}
      </Button>
      <Button look="primary" isDisabled={!isChanged} isPending={saving.isPending} onPress={saving.save}>
        {sharedTexts.save}
      </Button>
    </div>
  );
  return isWide ? <HeadActions>{bar}</HeadActions> : bar;
}

const StepsActions = ({ edit, canUndo, canRedo, view, setView }: Props) => (
  <>
    <Segments label={editorTexts.viewOfSteps} value={view} options={views} onChange={setView} />
    <Button look="quiet" isDisabled={!canUndo} onPress={() => edit({ type: 'undo' })}>
      {sharedTexts.undo}
    </Button>
    <Button look="quiet" isDisabled={!canRedo} onPress={() => edit({ type: 'redo' })}>
      {editorTexts.redo}
    </Button>
  </>
);

/** The same on a phone. */
function StepsMenu(props: Props & { version: string | undefined }) {
  const { flow, edit, canUndo, canRedo, view, setView, version } = props;
  const navigate = useNavigate();
  return (
    <MenuTrigger>
      <Button look="quiet" aria-label={editorTexts.moreForSteps}>
        <Icon name="more" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu-list" aria-label={editorTexts.moreForSteps}>
          <MenuItem isDisabled={!canUndo} onAction={() => edit({ type: 'undo' })}>
            {sharedTexts.undo}
          </MenuItem>
          <MenuItem isDisabled={!canRedo} onAction={() => edit({ type: 'redo' })}>
            {editorTexts.redo}
          </MenuItem>
          {version && (
            <MenuItem onAction={() => navigate({ to: `/flows/${flow.id}/versions` })}>{version}</MenuItem>
          )}
          <Separator />
          <MenuSection
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[view]}
            onSelectionChange={(keys) =>
              setView(views.find(({ value }) => value === [...keys][0])?.value ?? view)
            }
          >
            <Header>{editorTexts.viewOfSteps}</Header>
            {views.map(({ value, label }) => (
              <MenuItem key={value} id={value}>
                <Icon name="check" />
                {label}
              </MenuItem>
            ))}
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Which version callers get, in words, and whether there is something to publish. */
function useVersions(flowId: string): { published: string; hasDraft: boolean } | undefined {
  const listed = useCall('flow-versions.list', { params: { flowId }, query: {} }).data;
  if (!listed) return undefined;
  const { versions, publishedVersionId } = listed;
  const number = versions.find(({ id }) => id === publishedVersionId)?.versionNumber;
  const older = publishedVersionId ? editorTexts.olderVersionIsPublished : editorTexts.notPublished;
  return {
    published: number === undefined ? older : editorTexts.publishedVersion(number),
    hasDraft: versions.some(({ versionType }) => versionType === 'draft'),
  };
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
