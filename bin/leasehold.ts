#!/usr/bin/env node
import './terminal/quiet-sdk.js';
import { main } from './cli/main.js';
import { endQuietlyOnBrokenPipe } from './terminal/output.js';

endQuietlyOnBrokenPipe();
process.exitCode = await main(process.argv.slice(2));
