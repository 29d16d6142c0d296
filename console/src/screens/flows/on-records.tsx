import type { ComponentType, ReactNode } from 'react';
import { useCall } from '../../api/queries.ts';
import { newImportPath } from '../../routing/record-paths.ts';
import { flowTexts } from '../../texts/flows.ts';
import { importTexts } from '../../texts/imports.ts';
import { Link } from '../../ui/link.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { LoadSamples } from '../records/load-samples.tsx';
import { FlowPage, useFlow } from './flow-page.tsx';
import type { KnownTypes } from './record-choice.tsx';
import '../../style/runs.css';

export interface FormOnRecords {
  flowId: string;
  known: KnownTypes;
  /** The type that is chosen at first. */
  first: string;
  /** Adds records. */
  upload: ReactNode;
}

/** A screen that runs a flow on records, if there are any. */
export function OnRecords({ form: Form }: { form: ComponentType<FormOnRecords> }) {
  const { id } = useFlow();
  const types = useCall('records.types');
  const upload = (
    <Link to={newImportPath()} className="button">
      {importTexts.import}
    </Link>
  );
  return (
    <FlowPage>
      <Loaded of={types}>
        {(recordTypes) =>
          recordTypes.types[0] ? (
            <Form flowId={id} known={recordTypes} first={recordTypes.types[0].type} upload={upload} />
          ) : (
            <Empty title={flowTexts.noRecordsToRunOn}>
              <p>{flowTexts.uploadOrBeginWithSamples}</p>
              <div className="actions">
                {upload}
                <LoadSamples />
              </div>
            </Empty>
          )
        }
      </Loaded>
    </FlowPage>
  );
}
