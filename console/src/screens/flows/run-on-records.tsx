import { OnRecords } from './on-records.tsx';
import { RunForm } from './run-form.tsx';

export const RunOnRecords = () => <OnRecords form={RunForm} />;
