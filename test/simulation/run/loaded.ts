/*
 * What the product loads when it is first needed. A file that is read takes real time, which no seed knows: all of it is
 * loaded before the first schedule.
 */
import '../../../lib/client/later-calls.js';
import '../../../lib/client/service-connection.js';
import '../../../lib/lease/later-store.js';
import '../../../lib/lease/time-errors.js';
import '../../../lib/table/later-dynamo.js';
