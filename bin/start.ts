#!/usr/bin/env node
import './terminal/quiet-sdk.js';
import { main } from './start/main.js';

process.exitCode = await main(process.argv.slice(2));
