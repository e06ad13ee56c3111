export { type IamRequest, inWords } from './iam-request.js';
export type { RecordedRequest } from './recorded-request.js';
export { type Endpoints, type RequestRecorder, recordRequests } from './request-recorder.js';
export { SimulatedAccount, SimulatedRole, type Standing } from './simulated-account.js';
