#!/usr/bin/env node
import './cli/quiet-sdk.js';
import { endQuietlyOnBrokenPipe } from './cli/broken-pipe.js';
import { main } from './cli/main.js';

endQuietlyOnBrokenPipe();
process.exitCode = await main(process.argv.slice(2));
