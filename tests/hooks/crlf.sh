#!/bin/sh
echo ran
